// How much a compilation asks of the memory allocator: a figure that shows lost care where times would not, as they differ
// between machines.

#include "jit/compile.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations = 0;

void* counted(std::size_t bytes) {
    ++allocations;
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
} // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace swirl::planning {
namespace allocations_test {

struct Work {
    long allocations;
    int instructions;
};

Work work_of(Integer n, const char* tree) {
    const Transform problem = parse_transform(fmt::format("dft {}", n));
    const target::Cpu& cpu = target::cpu_named("avx512");
    const DimensionPass pass = dimension_passes(problem)[0];
    const long before = allocations;
    const ExpandedPass expanded(pass, rules::parse_tree(tree));
    const jit::MachineCode code = jit::compile(optimized_program(problem, expanded, cpu), cpu);
    return {allocations - before, code.statistics.instructions};
}

struct Case {
    Integer n;
    const char* tree;
};
constexpr Case cases[] = {{16, "codelet"},
                          {64, "stockham(8,8)"},
                          {360, "stockham(18,20)"},
                          {257, "rader[stockham(16,16), stockham(16,16)]"},
                          {1155, "stockham(33,35)"},
                          {1331, "stockham(11,11,11)"},
                          {1368, "stockham(24,57)"},
                          {709, "bluestein(1440)[stockham(24,60), stockham(24,60)]"},
                          {2720, "stockham(8,17,20)"}};

TEST(Compilations, AllocateLittlePerInstruction) {
    constexpr double most = 2.0;
    long all = 0, instructions = 0;
    for (const auto& [n, tree] : cases) {
        work_of(n, tree); // finds the codelets that the process keeps
        const Work work = work_of(n, tree);
        all += work.allocations;
        instructions += work.instructions;
        RecordProperty(fmt::format("dft_{}", n),
                       fmt::format("{} allocations, {} instructions", work.allocations, work.instructions));
    }
    EXPECT_LT(static_cast<double>(all) / static_cast<double>(instructions), most)
        << all << " allocations for " << instructions << " instructions";
}

TEST(Compilations, AllocateLessOnceTheProcessKnowsTheirCodelets) {
    const Work first = work_of(3410, "stockham(62,55)"), again = work_of(3410, "stockham(62,55)");
    EXPECT_EQ(first.instructions, again.instructions);
    EXPECT_LT(again.allocations, first.allocations);
}

} // namespace allocations_test
} // namespace swirl::planning
