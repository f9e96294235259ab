// C++ for AArch64, compiled and run there or in an emulator, against the interpreter.

#include "emit/cpp/cpp.hpp"
#include "emit/kernel_call.hpp"
#include "emit/sample_programs.hpp"
#include "ir/builder.hpp"
#include "passes/pipeline.hpp"
#include "passes/random_program.hpp"
#include "support/arm_program.hpp"
#include "target/catalogue.hpp"
#include "target/cpu.hpp"
#include "target/shuffle.hpp"

#include <gtest/gtest.h>

namespace swirl::emit {
namespace neon_test {

void expect_file_computes_on_arm(const std::vector<ir::Program>& programs, const std::string& flags) {
    std::vector<const ir::Program*> all;
    for (const ir::Program& program : programs) all.push_back(&program);
    const std::vector<std::string> names = cpp_function_names(all);
    std::vector<KernelCall> calls;
    std::vector<support::ArmCall> remote;
    for (std::size_t i = 0; i < programs.size(); ++i)
        for (const unsigned seed : {1U, 2U}) {
            KernelCall call(programs[i], {5, 0, seed == 1 ? 3 : 2}, seed);
            remote.push_back({names[i], support::ArmCall::Convention::array, {}, call.parameters()});
            for (NativeBuffer* buffer : call.passed()) {
                remote.back().buffers.emplace_back();
                if (buffer == nullptr) continue;
                for (const unsigned char byte : buffer->bytes())
                    remote.back().buffers.back().bytes.push_back(std::byte{byte});
                remote.back().buffers.back().origin = buffer->bytes_before_origin();
            }
            calls.push_back(std::move(call));
        }
    support::run_on_arm({emit_cpp(all, {.vectors = CppVectors::neon, .typed_overload = false})}, flags,
                        remote);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::vector<NativeBuffer*> buffers = calls[i].passed();
        for (std::size_t b = 0; b < buffers.size(); ++b)
            if (buffers[b] != nullptr)
                std::memcpy(buffers[b]->bytes().data(), remote[i].buffers[b].bytes.data(),
                            buffers[b]->bytes().size());
        calls[i].expect_same_bits();
    }
}

/// out[k] = instruction k of a and b.
ir::Program applying(const std::vector<const ir::Instruction*>& instructions, ir::Type type,
                     const char* name) {
    ir::Builder b(name);
    const auto in = b.input("in", type.scalar, 2 * type.lanes);
    const auto out = b.output("out", type.scalar, static_cast<Integer>(instructions.size()) * type.lanes);
    const std::vector<ir::Value> both = {b.load(in, 0, {.lanes = type.lanes}),
                                         b.load(in, type.lanes, {.lanes = type.lanes})};
    Integer at = 0;
    for (const ir::Instruction* instruction : instructions) {
        const std::vector<ir::Value> operands(
            both.begin(), both.begin() + static_cast<std::ptrdiff_t>(instruction->operands.size()));
        b.store(out, type.lanes * at++, b.instruction(*instruction, operands));
    }
    return b.finish();
}

/// Every immediate of the tables, and permutations that no single instruction does.
std::vector<const ir::Instruction*> instructions_on(ir::Type type) {
    std::vector<const ir::Instruction*> result;
    for (const target::ShuffleFamily* family : target::shuffle_families(target::InstructionSet::neon))
        if (family->scalar == type.scalar && family->lanes == type.lanes)
            for (int immediate = 0; immediate < std::max(1, family->immediates); ++immediate)
                result.push_back(&target::instruction_of(*family, immediate));
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round)
        for (const int sources : {1, 2}) {
            std::vector<std::int8_t> map;
            for (int lane = 0; lane < type.lanes; ++lane)
                map.push_back(
                    static_cast<std::int8_t>(random() % static_cast<unsigned>(sources * type.lanes)));
            result.push_back(&target::general_permute(target::neon_cpu(), type, map));
        }
    return result;
}

std::vector<ir::Program> programs_for_neon() {
    std::vector<ir::Program> programs = sample_programs();
    for (const ir::Type type :
         {ir::Type{DataType::float64, 2}, ir::Type{DataType::float32, 4}, ir::Type{DataType::float32, 2}}) {
        programs.push_back(applying(instructions_on(type), type, "instructions"));
        for (const unsigned seed : {7U, 8U, 9U}) {
            programs.push_back(passes::run_for_cpu(
                passes::RandomProgram(seed, {.scalar = type.scalar, .trips = type.lanes}).make(),
                target::neon_cpu()));
            programs.back().name = "random_kernel";
        }
    }
    return programs;
}

TEST(EmittedNeon, ComputesWhatTheInterpreterDoes) { expect_file_computes_on_arm(programs_for_neon(), "-O2"); }

TEST(EmittedNeon, NamesTheMachinesInstructions) {
    ir::Builder b("swap");
    const auto in = b.input("in", DataType::float32, 8);
    const auto out = b.output("out", DataType::float32, 8);
    const ir::Value x = b.load(in, 0, {.lanes = 4}), y = b.load(in, 4, {.lanes = 4});
    const std::vector<std::int8_t> pairs = {2, 3, 6, 7}, neighbours = {1, 0, 3, 2};
    const ir::Type type{DataType::float32, 4};
    b.store(out, 0, b.instruction(*target::find_shuffle(target::neon_cpu(), type, pairs), {x, y}));
    const ir::Value rotated = b.instruction(*target::find_shuffle(target::neon_cpu(), type, neighbours), {x});
    b.store(out, 4, b.fnma(rotated, x, y));
    const std::string text = emit_cpp(b.finish(), {.vectors = CppVectors::neon});
    for (const char* words :
         {"#include <arm_neon.h>", "using f32x4 = float32x4_t;", "vzip2q_f64(vreinterpretq_f64_f32(",
          "vrev64q_f32(", "vfmsq_f32(c, a, b)", "subtract_product("})
        EXPECT_NE(text.find(words), std::string::npos) << words << " is not in\n" << text;
}

} // namespace neon_test
} // namespace swirl::emit
