#include "cli/ladder/ladder.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <algorithm>
#include <bit>

namespace swirl::cli {
namespace {

using rules::BreakdownTree;

BreakdownTree cooley_tukey(Integer m, Integer n, BreakdownTree right) {
    BreakdownTree tree{"cooley-tukey", {m, n}, {}};
    if (m != n)
        tree.children = {{}, std::move(right)}; // equal transforms share one child, which stays a leaf
    return tree;
}

/// DFT_n = (DFT_4 ⊗ I) T (I_4 ⊗ DFT_{n/4}) L down to codelets of 2 or 4 points: the tutorial's eq. 8.
BreakdownTree recursive_radix_4(Integer n) {
    if (n <= 4) return {};
    if (n == 8) return cooley_tukey(4, 2, {});
    return cooley_tukey(4, n / 4, recursive_radix_4(n / 4));
}

constexpr Integer largest_base = 32; ///< points of a codelet that ends the recursion
constexpr Integer radix = 16;        ///< of each recursion step

/// Codelets of 16 or 32 points end the recursion.
BreakdownTree large_bases(Integer n) {
    if (n <= largest_base) return {};
    const Integer m = std::min(radix, n / radix);
    return cooley_tukey(m, n / m, large_bases(n / m));
}

/// From this size on the recursion's first step reads at strides of a page or more, whose cache lines share a cache
/// set.
constexpr Integer min_buffered = 4096;
/// Complex elements copied at a time: two 64-byte cache lines.
constexpr Integer buffer_width = 8;

/// Two sweeps over memory, each of which works in a buffer; within them as before.
BreakdownTree buffered(Integer n) {
    if (n < min_buffered) return large_bases(n);
    const Integer columns = Integer{1} << (std::bit_width(static_cast<std::uint64_t>(n)) - 1) / 2;
    const Integer rows = n / columns;
    BreakdownTree tree{"two-sweep", {columns, buffer_width, buffer_width}, {large_bases(rows)}};
    if (rows != columns) tree.children.push_back(large_bases(columns));
    return tree;
}

class DftLadder : public LadderRungs {
public:
    explicit DftLadder(int threads) : threads_(threads) {}

    Transform problem(Integer n) const override { return Transform::dft({n}); }
    Integer min_size() const override { return 4; }

    std::vector<LadderRung> steps(Integer n) override {
        std::vector<LadderRung> result;
        const auto scalar = [&](const char* name, const char* what, BreakdownTree tree) {
            result.push_back({name, what,
                              planning::Schedule(plainest_cpu().name,
                                                 planning::TransformSchedule{{{0, std::move(tree)}}, true})});
        };
        const auto factors = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(n)) - 1);
        scalar("iterative radix 2", "bit reversal, then a pass for each factor 2; scalar code",
               {"dft-iterative", rules::Choice(factors, 2), {}});
        scalar("recursive radix 4", "the recursion keeps its data in the nearest cache; half the passes",
               recursive_radix_4(n));
        scalar("larger bases", "steps of radix 16, unrolled codelets of 16 or 32 points at the end",
               large_bases(n));
        scalar("buffered", "two sweeps through buffers where strides are a page or more", buffered(n));
        for (const target::Cpu* cpu : target::cpus())
            if (cpu->set != target::InstructionSet::portable && target::host_can_run(*cpu))
                result.push_back(
                    {std::string(cpu->name), "the same in vectors of this instruction set",
                     planning::Schedule(cpu->name, planning::TransformSchedule{{{0, buffered(n)}}})});
        const planning::Schedule planned = search::estimate(problem(n), target::host_cpu()).schedule;
        result.push_back({"planned", "the tree that the planner's model likes best", planned});
        if (threads_ > 1)
            result.push_back({fmt::format("{} threads", threads_),
                              "loops shared among threads where that pays", planned, threads_});
        return result;
    }

private:
    int threads_;
};

} // namespace

std::unique_ptr<LadderRungs> dft_ladder(int threads) { return std::make_unique<DftLadder>(threads); }

} // namespace swirl::cli
