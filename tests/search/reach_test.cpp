#include "formula/print.hpp"
#include "ir/print.hpp"
#include "loops/gpu/passes.hpp"
#include "loops/merge_loops.hpp"
#include "loops/passes.hpp"
#include "passes/pipeline.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "rules/cost.hpp"
#include "rules/rewriting_rules.hpp"
#include "rules/rule.hpp"
#include "search/candidates/cpu/proposals.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/gpu/estimate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

/// Nothing is kept that no problem of a user reaches: breakdown rules, identities, passes.
namespace swirl::search {
namespace reach_test {

using planning::DimensionPass;
using rules::BreakdownTree;

/// For EveryIdentity.
constexpr const char* formulas[] = {
    "I(1) ⊗ DFT(8) ⊗ I(1)",
    "(DFT(4) · J(4)) · DFT(4)",
    "DFT(4) · I(4)",
    "(DFT(2) ⊗ DFT(3)) ⊗ DFT(4)",
    "I(2) ⊗ I(3) ⊗ DFT(4)",
    "(DFT(2) ⊕ DFT(3)) ⊕ DFT(2)",
    "I(2) ⊕ I(3) ⊕ DFT(2)",
    "DFT(2) ⊕ DFT(2) ⊕ DFT(2)",
    "I(8) · DFT(8)",
    "L(8, 1) · DFT(8)",
    "L(8, 2) · L(8, 4) · DFT(8)",
    "(I(2) ⊗ DFT(4)) · (I(2) ⊗ DFT(4))",
    "(DFT(4) ⊗ I(2)) · (DFT(4) ⊗ I(2))",
};

Transform transform(const std::string& text) { return swirl::problem(text); }

/// The rules of a tree, and those of its codelets.
void add_rules(const formula::Formula& nonterminal, const BreakdownTree& tree, std::set<std::string>& names) {
    if (nonterminal.is<formula::Identity>()) return;
    if (tree.rule.empty()) {
        if (!nonterminal.is<formula::Circulant>() && !nonterminal.is<formula::Kronecker>())
            add_rules(nonterminal, rules::cheapest_straight_line(nonterminal), names);
        return;
    }
    names.insert(tree.rule);
    const std::vector<formula::Formula> parts =
        rules::nonterminals(rules::rule_named(tree.rule).build(nonterminal, tree.choice));
    for (std::size_t k = 0; k < parts.size(); ++k)
        add_rules(parts[k], k < tree.children.size() ? tree.children[k] : BreakdownTree{}, names);
}

std::set<std::string> proposed_on_cpu(const std::string& problem, const char* cpu) {
    const Transform parsed = transform(problem);
    std::set<std::string> names;
    for (const DimensionPass& pass : planning::dimension_passes(parsed))
        for (const Candidate& candidate :
             likely_breakdowns(pass, target::cpu_named(cpu), planning::arithmetic_of(parsed.precision)))
            add_rules(pass.nonterminal, candidate.tree, names);
    return names;
}

std::set<std::string> proposed_on_gpu(const std::string& problem) {
    const Transform parsed = transform(problem);
    const target::Gpu& gpu = target::gpu_named("sm_90");
    std::set<std::string> names;
    const planning::Schedule chosen = gpu_schedule(parsed, gpu);
    for (const DimensionPass& pass : planning::gpu_passes(parsed, chosen))
        for (const GpuPassCandidate& candidate : gpu_candidates(parsed, pass, gpu, 100))
            add_rules(pass.nonterminal, candidate.pass.tree, names);
    return names;
}

/// Candidates of an exhaustive search.
std::set<std::string> tried_on_cpu(const std::string& problem) {
    std::set<std::string> names;
    for (const DimensionPass& pass : planning::dimension_passes(transform(problem)))
        for (const Candidate& candidate : all_breakdowns(pass)) names.insert(candidate.tree.rule);
    return names;
}

struct Reached {
    const char* rule;
    const char* problem;
    enum class By : std::uint8_t {
        cpu_model,  ///< the CPU's model proposes it, or a codelet of what the model proposes has it
        gpu_model,  ///< the same of a GPU's
        exhaustive, ///< only an exhaustive search on a CPU tries it
    } by = By::cpu_model;
};

constexpr Reached reached[] = {
    {"bands", "dft 512x512", Reached::By::exhaustive},
    {"bluestein", "dft 1019"},
    {"buffered", "dft 2048 in=5 batch=5:(1,2048)"},
    {"circulant-dft", "convolution 1024"},
    {"circulant-half-size", "rconvolution 2^20"},
    {"circulant-rdft", "rconvolution 97"},
    {"circulant-stockham", "rconvolution 1024"},
    {"cooley-tukey", "dft 9"},
    {"cooley-tukey-frequency", "dft 2048", Reached::By::exhaustive},
    {"dct-type5", "dct8 64"},
    {"dct1-dct3", "dct1 65"},
    {"dct1-dft", "dct1 64"},
    {"dct1-rdft", "dct1 1500000"},
    {"dct2-rdft", "dct2 64"},
    {"dct3-rdft", "dct3 64"},
    {"dct4-dft", "dct4 64"},
    {"dct4-rdft", "dct4 63"},
    {"dct5-rdft", "dct5 64"},
    {"dft-base", "dft 5"},
    {"dft-iterative", "dft 2048", Reached::By::exhaustive},
    {"dht-rdft", "dht 64"},
    {"dst-dct", "dst2 64"},
    {"dst1-dft", "dst1 64"},
    {"dst1-dst3", "dst1 63"},
    {"dst1-rdft", "dst1 200001", Reached::By::gpu_model},
    {"dst5-rdft", "dst7 64"},
    {"formula", "formula I(3) ⊗ DFT(8)"},
    {"formula-codelet", "formula I(3) ⊗ DFT(8)"},
    {"four-step", "dft 2048", Reached::By::exhaustive},
    {"good-thomas", "dft 60"},
    {"rader", "dft 1009"},
    {"rader-real", "dft 13"},
    {"rdft-base", "rdft 2"},
    {"rdft-cooley-tukey", "rdft 9"},
    {"rdft-embedding", "rdft 13"},
    {"rdft-good-thomas", "rdft 15"},
    {"rdft-half-size", "rdft 1024"},
    {"rdft-rader", "rdft 2039"},
    {"rdft-split-radix", "rdft 16"},
    {"rdft-stockham", "rdft 1024"},
    {"rdft-two-sweep", "rdft 1048576 float32", Reached::By::gpu_model},
    {"real-row-column", "rdft 24x28 float32 batch=1000", Reached::By::gpu_model},
    {"row-column", "dft 512x512", Reached::By::exhaustive},
    {"six-step", "dft 2048", Reached::By::exhaustive},
    {"split-radix", "dft 8"},
    {"stockham", "dft 1024"},
    {"two-sweep", "dft 1048576"},
    {"volume-bands", "dft 128x128x128 float32", Reached::By::gpu_model},
    {"wht-base", "wht 2"},
    {"wht-iterative", "wht 8"},
    {"wht-ordered", "wht_sequency 65536", Reached::By::gpu_model},
    {"wht-permuted", "wht_dyadic 8"},
    {"wht-recursive", "wht 8", Reached::By::exhaustive},
    {"wht-split", "wht 4096"},
    {"wht-stockham", "wht_sequency 4096"},
};

TEST(EveryBreakdownRule, IsACandidateForSomeProblem) {
    std::set<std::string_view> found;
    for (const Reached& each : reached) {
        const std::set<std::string> names = each.by == Reached::By::exhaustive ? tried_on_cpu(each.problem)
                                            : each.by == Reached::By::gpu_model
                                                ? proposed_on_gpu(each.problem)
                                                : proposed_on_cpu(each.problem, "avx2");
        EXPECT_TRUE(names.contains(each.rule)) << each.rule << " for " << each.problem;
        found.insert(each.rule);
    }
    for (const rules::BreakdownRule& rule : rules::registry())
        EXPECT_TRUE(found.contains(rule.name)) << "no problem is known to reach " << rule.name;
}

/// The identities that rewrite a formula of a user.
TEST(EveryIdentity, SimplifiesSomeFormula) {
    std::set<std::string> fired;
    for (const char* text : formulas) {
        formula::RewriteTrace trace;
        rules::simplify(transform(std::string("formula ") + text).matrix.term(), &trace);
        for (const formula::RewriteStep& step : trace) fired.insert(step.rule);
    }
    for (const formula::RewriteRule& rule : rules::kronecker_identities())
        EXPECT_TRUE(fired.contains(rule.name)) << "no formula is known that " << rule.name << " simplifies";
}

/// Names of passes that changed the text of some program.
class Changes {
public:
    void start() { last_.clear(); }
    void add(std::string_view pass, std::string text) {
        if (text != last_) names_.emplace(pass);
        last_ = std::move(text);
    }
    void expect(std::string_view pass) const {
        EXPECT_TRUE(names_.contains(std::string(pass)))
            << "no problem is known that '" << pass << "' changes";
    }

private:
    std::string last_;
    std::set<std::string> names_;
};

TEST(EveryPassForCpus, ChangesTheCodeOfSomeProblem) {
    const target::Cpu& cpu = target::cpu_named("avx2");
    Changes of_loops, of_ir;
    for (const char* text :
         {"dft 8", "dft 3591", "dft 1024 batch=20", "rdft 30", "rdft 4194304",
          "dft 64 load=\"x * (1 - 1 + i)\"", "dft 64 float32 batch=20000000 load=\"x * b\""}) {
        const Transform problem = transform(text);
        const planning::Schedule schedule = estimate(problem, cpu).schedule;
        const std::vector<DimensionPass> passes = planning::dimension_passes(problem);
        for (std::size_t k = 0; k < passes.size(); ++k) {
            const BreakdownTree& tree = schedule.transform().passes[k].tree;
            of_loops.start();
            loops::loops_for_cpu(
                planning::kernel_request(problem, {passes[k], tree}, cpu).loops,
                [&](const loops::Pass& pass, const loops::LoopProgram& program) {
                    of_loops.add(pass.name, fmt::format("{}{}", loops::to_text(program), program.pairs));
                });
            of_ir.start();
            const ir::Program lowered = planning::derive(problem, passes[k], tree, cpu).lowered;
            of_ir.add("", ir::to_string(lowered));
            passes::run_for_cpu(lowered, cpu, [&](const passes::Pass& pass, const ir::Program& program) {
                of_ir.add(pass.name, ir::to_string(program));
            });
        }
    }
    for (const loops::Pass& pass : loops::cpu_passes()) of_loops.expect(pass.name);
    for (const passes::Pass& pass : passes::passes_for(cpu)) of_ir.expect(pass.name);
}

TEST(EveryPassForGpus, ChangesTheCodeOfSomeProblem) {
    Changes of_regions, of_kernels;
    const target::Gpu& gpu = target::gpu_named("sm_90");
    constexpr std::size_t candidates = 40;
    const auto add = [&](const Transform& problem, const planning::Schedule& schedule) {
        const std::vector<DimensionPass> passes = planning::gpu_passes(problem, schedule);
        for (std::size_t k = 0; k < passes.size(); ++k) {
            const planning::PassSchedule& own = schedule.transform().passes[k];
            of_regions.start();
            const auto text_of = [](const loops::KernelRegions& regions) {
                std::string layout;
                for (const loops::Array& array : regions.loops.arrays)
                    layout += fmt::format("{} {} {};", array.copies, array.pitch, array.unused);
                for (const loops::KernelRegion& region : regions.regions)
                    layout += fmt::format("{};", region.around.size()); // loops move without another text
                return to_text(regions) + layout + fmt::format("{}", fmt::join(regions.communicated, ","));
            };
            loops::loops_for_gpu(
                planning::kernel_request(problem, {passes[k], own.tree}).loops, own.configurations,
                {.regions =
                     [&](const loops::RegionsPass& pass, const loops::KernelRegions& now) {
                         of_regions.add(pass.name, text_of(now));
                         of_kernels.add("", text_of(now));
                     },
                 .kernels =
                     [&](const loops::KernelPass& pass, std::size_t, const loops::KernelLoops& now) {
                         of_kernels.add(pass.name, text_of(now.regions));
                     }});
        }
    };
    for (const char* text :
         {"dft 4096 batch=3 float32", "dft 16x16 float32", "dft 8 float32 batch=10", "dft 16777216 float32",
          "dft 1009 float32 batch=100", "dft 65537 float32", "rdft 1048576 float32", "rdft 59049 batch=3",
          "dct2 16777216 float32", "dct3 16777216 float32"}) {
        const Transform problem = transform(text);
        for (const RatedGpuSchedule& rated : gpu_schedules(problem, gpu, candidates))
            add(problem, rated.schedule);
    }
    for (const loops::RegionsPass& pass : loops::regions_passes()) of_regions.expect(pass.name);
    for (const std::span<const loops::KernelPass> list : {loops::opening_passes(), loops::arranging_passes(),
                                                          loops::placing_passes(), loops::cluster_passes()})
        for (const loops::KernelPass& pass : list) of_kernels.expect(pass.name);
}

} // namespace reach_test
} // namespace swirl::search
