// Orders of lanes: whole transforms, whose loops exchange data through scratch memory and tables.

#include "lower/lower.hpp"
#include "passes/pipeline.hpp"
#include "passes/support.hpp"
#include "rules/rule.hpp"

#include <random>

namespace swirl::passes {
namespace lane_order_test {

using namespace ir;

Program lowered(Integer n, const char* tree, int lanes, DataType scalar, bool in_place = false) {
    return lower::lower({.name = "dft",
                         .loops = {.formula = rules::expand(formula::DFT(n), rules::parse_tree(tree)),
                                   .scalar = scalar,
                                   .input = loops::Layout::contiguous(n),
                                   .output = loops::Layout::contiguous(n),
                                   .in_place = in_place,
                                   .lanes = lanes}});
}

std::vector<std::string> shuffles(const Program& program) {
    std::vector<std::string> names;
    for_each_operation(program, [&](Value v) {
        if (program[v].opcode == Opcode::instruction) names.emplace_back(program[v].instruction->name);
    });
    return names;
}

TEST(LaneOrder, WholeVectorsNeedNoGeneralPermutation) {
    for (const target::Cpu* cpu : {&target::avx2_cpu(), &target::avx512_cpu()})
        for (const DataType scalar : {DataType::float64, DataType::float32})
            for (const auto& [n, tree] :
                 {std::pair<Integer, const char*>{256, "stockham(16,16)"}, {1024, "stockham(32,32)"}}) {
                const Program program = lowered(n, tree, target::lanes(*cpu, scalar), scalar);
                const Program after = run_for_cpu(program, *cpu);
                for (const std::string& name : shuffles(after))
                    EXPECT_EQ(name.find("permute_f"), std::string::npos) << cpu->name << " " << name;
                expect_same_results(program, after, scalar == DataType::float64 ? 1e-10 : 1e-2);
            }
}

TEST(LaneOrder, KeepsOneTableForOneOrder) {
    const Program before = lowered(256, "stockham(16,16)", 8, DataType::float64);
    EXPECT_EQ(run_for_cpu(before, target::avx512_cpu()).buffers.size(), before.buffers.size());
}

TEST(LaneOrder, KeepsResultsOfFullAndPartialVectors) {
    const std::pair<Integer, const char*> cases[] = {
        {60, "stockham(6,10)"},
        {64, "stockham(8,8)"},
        {96, "stockham(8,12)"},
        {128, "stockham(8,16)"},
        {512, "stockham(8,8,8)"},
        {60, "cooley-tukey(4,15)"},
        {77, "good-thomas(7,11)"},
        {256, "four-step(16,16)"},
        {256, "six-step(16,16)"},
        {74, "stockham(37,2)[codelet, rader]"},
        {53, "bluestein(128)[stockham(8,16)]"},
    };
    for (const auto& [n, tree] : cases)
        for (const target::Cpu* cpu : target::cpus())
            for (const DataType scalar : {DataType::float64, DataType::float32})
                for (const bool in_place : {false, true}) {
                    const Program program = lowered(n, tree, target::lanes(*cpu, scalar), scalar, in_place);
                    expect_same_results(program, run_for_cpu(program, *cpu),
                                        scalar == DataType::float64 ? 1e-10 : 1e-2);
                    if (HasFatalFailure()) FAIL() << n << " " << tree << " " << cpu->name;
                }
}

} // namespace lane_order_test
} // namespace swirl::passes
