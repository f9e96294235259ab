#include "formula/formula.hpp"
#include "ir/analysis.hpp"
#include "ir/interpreter.hpp"
#include "jit/compile.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>

namespace swirl::planning {
namespace derivation_test {

/// Interprets a contiguous kernel as it goes to the machine; scratch starts unwritten.
double error_in_interpreter(const Transform& problem, const char* tree, const target::Cpu& cpu) {
    const Integer n = transform_size(problem);
    const Derivation derivation = derive(problem, dimension_passes(problem)[0], rules::parse_tree(tree), cpu);
    std::mt19937 generator(static_cast<unsigned>(n));
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<formula::Complex> x(static_cast<std::size_t>(n));
    ir::Arguments arguments(derivation.program);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = {uniform(generator), uniform(generator)};
        arguments["input"].set(static_cast<Integer>(2 * i), x[i].real());
        arguments["input"].set(static_cast<Integer>(2 * i + 1), x[i].imag());
    }
    ir::interpret(derivation.program, arguments);
    const auto expected = formula::apply(derivation.formula, x);
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto at = static_cast<Integer>(2 * i);
        difference +=
            std::norm(formula::Complex(arguments["output"][at], arguments["output"][at + 1]) - expected[i]);
        norm += std::norm(expected[i]);
    }
    return static_cast<double>(std::sqrt(difference / norm));
}

double error_in_interpreter(const std::vector<Integer>& lengths, const char* tree, const target::Cpu& cpu,
                            DataType precision) {
    return error_in_interpreter(Transform::dft(lengths, {.precision = precision}), tree, cpu);
}

TEST(MachinePrograms, ComputeSpectraOfLongChirpsInTheInterpreter) {
    const std::string formula =
        "formula DFT(8640) · diag(spectrum(4099)(8640); id(8640)) · DFT(8640, backward)";
    const char* tree = "formula[stockham(16,18,30), stockham(16,18,30)]";
    for (const target::Cpu* cpu : target::cpus()) {
        if (cpu->set == target::InstructionSet::portable) continue;
        EXPECT_LT(error_in_interpreter(parse_transform(formula), tree, *cpu), 1e-15) << cpu->name;
        EXPECT_LT(error_in_interpreter(parse_transform(formula + " complex64"), tree, *cpu), 5e-7)
            << cpu->name;
    }
}

TEST(MachinePrograms, OfDerivationsCompileToTheCodeThatPlansRun) {
    const std::pair<Integer, const char*> cases[] = {
        {32, "codelet"}, {360, "stockham(18,20)"}, {1155, "stockham(33,35)"}, {17, "rader[codelet]"}};
    for (const target::Cpu* cpu : target::cpus()) {
        if (cpu->set == target::InstructionSet::portable || cpu->emitted_only) continue;
        for (const auto& [n, text] : cases) {
            const Transform problem = Transform::dft({n}, {});
            const DimensionPass pass = dimension_passes(problem)[0];
            const rules::BreakdownTree tree = rules::parse_tree(text);
            EXPECT_EQ(jit::compile(derive(problem, pass, tree, *cpu).program, *cpu).bytes,
                      jit::compile(optimized_program(problem, ExpandedPass(pass, tree), *cpu), *cpu).bytes)
                << cpu->name << " " << text;
        }
    }
}

TEST(MachinePrograms, EqualTheirFormulaInTheInterpreterOnEveryCpu) {
    const std::pair<std::vector<Integer>, const char*> cases[] = {
        {{1}, "codelet"},
        {{2}, "codelet"},
        {{13}, "codelet"},
        {{31}, "codelet"},
        {{64}, "stockham(8,8)"},
        {{60}, "stockham(10,6)"},
        {{105}, "stockham(15,7)"},
        {{1155}, "stockham(33,35)"},
        {{1155}, "stockham(55,21)"},
        {{512}, "stockham(8,8,8)"},
        {{74}, "stockham(37,2)[codelet, rader[codelet]]"},
        {{1024}, "two-sweep(32,8,8)[stockham(8,4)]"},
        {{41}, "bluestein(96)[stockham(12,8), stockham(12,8)]"},
        {{24, 32}, "bands(4)[codelet, codelet, stockham(8,4)]"},
        {{12, 15}, "bands(3)"},
    };
    for (const target::Cpu* cpu : target::cpus()) {
        if (cpu->set == target::InstructionSet::portable) continue;
        for (const auto& [lengths, tree] : cases) {
            EXPECT_LT(error_in_interpreter(lengths, tree, *cpu, DataType::float64), 1e-15)
                << lengths[0] << tree << cpu->name;
            EXPECT_LT(error_in_interpreter(lengths, tree, *cpu, DataType::float32), 5e-7)
                << lengths[0] << tree << cpu->name;
        }
    }
}

TEST(MachinePrograms, OfSmallTransformsKeepAllBetweenPassesInRegisters) {
    const std::pair<Integer, const char*> cases[] = {
        {8, "stockham(4,2)"},  {12, "stockham(3,4)"}, {15, "stockham(5,3)"},  {16, "stockham(4,4)"},
        {24, "stockham(6,4)"}, {32, "stockham(4,8)"}, {60, "stockham(15,4)"}, {64, "stockham(8,8)"}};
    for (const DataType precision : {DataType::float64, DataType::float32})
        for (const auto& [n, tree] : cases) {
            EXPECT_LT(error_in_interpreter({n}, tree, target::avx512_cpu(), precision),
                      precision == DataType::float64 ? 1e-15 : 5e-7)
                << n << tree;
            const Transform problem = Transform::dft({n}, {.precision = precision});
            const Derivation derivation =
                derive(problem, dimension_passes(problem)[0], rules::parse_tree(tree), target::avx512_cpu());
            int accesses = 0;
            ir::for_each_operation(derivation.program, [&](ir::Value value) {
                const ir::Operation& operation = derivation.program[value];
                if (!ir::accesses_memory(operation.opcode)) return;
                const auto buffer = static_cast<std::size_t>(operation.address.buffer);
                accesses += derivation.program.buffers[buffer].space == ir::Space::scratch;
            });
            EXPECT_EQ(accesses, 0) << n << " " << tree;
        }
}

/// Outputs, as bits, of a kernel for one thread or for several, and its operations.
std::pair<std::vector<std::uint64_t>, std::size_t> outputs(const Transform& problem, const char* tree,
                                                           const target::Cpu& cpu, bool shared) {
    const auto program =
        derive(problem, dimension_passes(problem)[0], rules::parse_tree(tree), cpu, {.shared = shared})
            .program;
    ir::Arguments arguments(program);
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto reals = [&](Side side) {
        const Integer elements = stored_length(problem, 0, side) * batch_count(problem);
        return is_complex(problem, side) ? 2 * elements : elements;
    };
    for (Integer i = 0; i < reals(Side::input); ++i) arguments["input"].set(i, uniform(generator));
    ir::interpret(program, arguments);
    std::vector<std::uint64_t> bits;
    for (Integer i = 0; i < reals(Side::output); ++i)
        bits.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(arguments["output"][i])));
    return {std::move(bits), program.operations.size()};
}

TEST(MachinePrograms, HaveTheSameBitsWhetherVectorsOverlapOrNot) {
    const std::pair<const char*, const char*> cases[] = {
        {"dft 1050", "stockham(25,42)"},
        {"dft 1155 backward complex64", "stockham(33,5,7)"},
        {"dft 1053", "stockham(27,39)"},
        {"dft 22 batch=45", "codelet"},
        {"dft 521", "bluestein(1080)[stockham(30,36), stockham(36,30)]"},
        {"rdft 1001", "rdft-stockham(7,11,13)"},
        {"rdft 1925 backward float32", "rdft-stockham(5,5,7,11)"},
    };
    for (const target::Cpu* cpu : target::cpus()) {
        if (cpu->set == target::InstructionSet::portable || !cpu->has_fma) continue;
        int shorter = 0;
        for (const auto& [text, tree] : cases) {
            SCOPED_TRACE(fmt::format("{}: {} by {}", cpu->name, text, tree));
            const Transform problem = parse_transform(text);
            const auto once = outputs(problem, tree, *cpu, true),
                       repeated = outputs(problem, tree, *cpu, false);
            EXPECT_EQ(once.first, repeated.first);
            EXPECT_LE(repeated.second, once.second);
            shorter += repeated.second < once.second;
        }
        EXPECT_GE(shorter, 4) << cpu->name;
    }
}

} // namespace derivation_test
} // namespace swirl::planning
