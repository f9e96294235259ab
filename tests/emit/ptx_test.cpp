#include "emit/ptx/ptx.hpp"

#include "base/error.hpp"
#include "emit/literal.hpp"
#include "emit/ptx_compiler.hpp"
#include "emit/ptx_programs.hpp"
#include "emit/sample_programs.hpp"
#include "ir/analysis.hpp"
#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "passes/random_program.hpp"
#include "passes/vectorize.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace swirl::emit {
namespace ptx_test {

/// Programs for one thread of a CPU, made ones for a GPU.
std::vector<ir::Program> cpu_programs() {
    std::vector<ir::Program> programs = sample_programs();
    for (unsigned seed = 0; seed < 6; ++seed) {
        const auto scalar = seed % 2 == 0 ? DataType::float32 : DataType::float64;
        programs.push_back(passes::RandomProgram(seed, {.scalar = scalar}).make());
        programs.push_back(passes::vectorize(passes::RandomProgram(seed, {.scalar = scalar}).make(), 4));
    }
    for (ir::Program& program : programs) program.launch.threads = {32, 1, 1};
    return programs;
}

std::size_t count(std::string_view text, std::string_view words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1))
        ++found;
    return found;
}

/// Lanes of operations of one kind that something written depends on.
std::size_t live_lanes(const ir::Program& program, std::initializer_list<ir::Opcode> opcodes) {
    const std::vector<char> live = ir::live_operations(program);
    std::size_t result = 0;
    for (std::size_t i = 0; i < live.size(); ++i)
        for (const ir::Opcode opcode : opcodes)
            if (live[i] && program.operations[i].opcode == opcode &&
                is_floating(program.operations[i].type.scalar))
                result += static_cast<std::size_t>(program.operations[i].type.lanes);
    return result;
}

void expect_accepted(const std::vector<ir::Program>& programs) {
    const std::optional<std::string> compiler = ptx_compiler();
    if (!compiler)
        GTEST_SKIP() << "there is no ptxas here: not in PATH, $CUDA_HOME/bin, /usr/local/cuda*/bin";
    for (const std::string target : {"sm_80", "sm_90"})
        for (const ir::Program& program : programs) {
            const std::string module = ptx(program, {.target = target});
            EXPECT_EQ(complaints(*compiler, module, target), "") << module;
        }
}

TEST(EmittedPtx, ProgramsOfTheCorpusAreWellFormed) {
    for (const ir::Program& program : ptx_programs())
        EXPECT_NO_THROW(verify(program, ir::VerificationLevel::vectorized));
}

TEST(EmittedPtx, CorpusHasNoUndefinedBehaviour) {
    for (const ir::Program& program : ptx_programs()) {
        if (program.name == "extremes") continue; // 4 TiB
        ir::Arguments arguments(program);
        arguments.parameters = {5, 3};
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::argument)
                for (Integer i = 0; i < buffer.elements; ++i) arguments[buffer.name].set(i, i % 7 - 3);
        const ir::InterpreterReport report = interpret(program, arguments, {.throw_on_diagnostic = false});
        for (const ir::Diagnostic& diagnostic : report.diagnostics)
            EXPECT_TRUE(program.name == "copy" && diagnostic.kind == ir::Diagnostic::Kind::misaligned)
                << diagnostic.message;
    }
}

TEST(EmittedPtx, IsAcceptedByNvidiasCompilerWithoutAWarning) { expect_accepted(ptx_programs()); }

TEST(EmittedPtx, PtxasAcceptsSampleAndRandomPrograms) { expect_accepted(cpu_programs()); }

TEST(EmittedPtx, ContractsExactlyTheProgramsFmas) {
    std::vector<ir::Program> programs = ptx_programs();
    for (ir::Program& program : cpu_programs()) programs.push_back(std::move(program));
    for (const ir::Program& program : programs) {
        const std::string module = ptx(program);
        using ir::Opcode;
        EXPECT_EQ(count(module, "fma.rn."), live_lanes(program, {Opcode::fma, Opcode::fms, Opcode::fnma}))
            << module;
        EXPECT_EQ(count(module, " mul.rn."), live_lanes(program, {Opcode::multiply})) << module;
        for (const char* contractible : {"mul.f32", "mul.f64", "add.f32 %", "add.f64 %", "sub.f32", "sub.f64",
                                         "fma.f", ".ftz", "mad.f", "mad.rn"})
            EXPECT_EQ(count(module, contractible), 0U) << contractible << "\n" << module;
    }
}

TEST(EmittedPtx, UsesTheWidestAlignedAccess) {
    struct Case {
        DataType scalar;
        int lanes;
        int alignment;
        const char* load;
        std::size_t loads;
    };
    for (const Case& c : {Case{DataType::float32, 4, 16, "ld.global.nc.v4.f32", 1},
                          Case{DataType::float32, 4, 8, "ld.global.nc.v2.f32", 2},
                          Case{DataType::float32, 4, 0, "ld.global.nc.f32", 4},
                          Case{DataType::float32, 8, 32, "ld.global.nc.v4.f32", 2},
                          Case{DataType::float64, 4, 32, "ld.global.nc.v2.f64", 2},
                          Case{DataType::float64, 2, 8, "ld.global.nc.f64", 2},
                          Case{DataType::float16, 4, 8, "ld.global.nc.v4.b16", 1},
                          Case{DataType::float16, 8, 16, "ld.global.nc.v4.b32", 1},
                          Case{DataType::bfloat16, 8, 8, "ld.global.nc.v4.b16", 2},
                          Case{DataType::bfloat16, 16, 16, "ld.global.nc.v4.b32", 2},
                          Case{DataType::bfloat16, 2, 4, "ld.global.nc.v2.b16", 1},
                          Case{DataType::int64, 2, 16, "ld.global.nc.v2.s64", 1}}) {
        const std::string module = ptx(ptx_copy(c.scalar, c.lanes, c.alignment));
        EXPECT_EQ(count(module, c.load), c.loads) << module;
        EXPECT_EQ(count(module, "ld.global"), c.loads) << module;
        EXPECT_EQ(count(module, "st.global"), c.loads) << module;
    }
}

TEST(EmittedPtx, ComputesAllThatAConditionNeedsBeforeItBranches) {
    ir::Builder b("guarded");
    b.launch({.blocks = {4, 1, 1}, .threads = {64, 1, 1}, .resident = 8});
    const auto y = b.output("y", DataType::float32, 4096);
    const Affine at = 3 * b.block() + b.thread();
    for (const Integer side : {0, 1})
        b.if_then({{b.thread() - 20 - side, ir::Condition::Relation::negative},
                   {at - 60, ir::Condition::Relation::negative}},
                  [&] {
                      b.store(y, at + 64 * side, b.constant({DataType::float32, 1}, 1));
                  });
    const std::string text = ptx(b.finish());
    const std::size_t branch = text.find("bra $");
    ASSERT_NE(branch, std::string::npos);
    const std::size_t second = text.find("setp", text.find("setp") + 1);
    EXPECT_LT(second, branch);
}

TEST(EmittedPtx, BranchesAsDataSay) {
    ir::Builder b("decided");
    b.launch({.blocks = {4, 1, 1}, .threads = {64, 1, 1}});
    const auto flag = b.input("flag", DataType::int64, 1);
    const auto y = b.output("y", DataType::float32, 64);
    const ir::Value value = b.load(flag, 0);
    b.if_then({{-1, ir::Condition::Relation::nonnegative, value}}, [&] {
        b.store(y, b.thread(), b.constant({DataType::float32, 1}, 1));
    });
    const std::string text = ptx(b.finish());
    EXPECT_NE(text.find("setp.lt.s64 %p0, %rd4, 1;\n    @%p0 bra $"), std::string::npos) << text;
}

TEST(EmittedPtx, ReachesTheSharedMemoryOfOtherBlocks) {
    const ir::Program program = exchange_in_cluster();
    const std::string text = ptx(program, {.target = "sm_90"});
    EXPECT_EQ(count(text, "mapa.shared::cluster.u32"), 2U);
    EXPECT_EQ(count(text, "st.shared::cluster.f32"), 2U);
    EXPECT_EQ(count(text, ", 252;"), 1U);  // what is mapped lies in the block's own memory: 63 entries on,
    EXPECT_EQ(count(text, ", -252;"), 1U); // and back
    EXPECT_EQ(count(text, "ld.shared.f32"), 1U);
    EXPECT_EQ(count(text, ".reqnctapercluster 4, 1, 1"), 1U);
    EXPECT_THROW(ptx(program, {.target = "sm_80"}), InternalError);
    if (const auto compiler = ptx_compiler()) {
        EXPECT_EQ(complaints(*compiler, text, "sm_90"), "");
    }
}

TEST(EmittedPtx, LetsBlocksOfAGroupWaitForEachOther) {
    for (const bool in_halves : {false, true}) {
        const std::string text = ptx(opposite_in_group(in_halves), {.target = "sm_90"});
        EXPECT_EQ(count(text, "red.release.gpu.global.add.u64"), 1U);
        EXPECT_EQ(count(text, "ld.acquire.gpu.global.u64"), 1U);
        EXPECT_EQ(count(text, "ld.global.cg.f32"), 1U);
        EXPECT_EQ(count(text, "bar.sync"), 2U);
        if (const auto compiler = ptx_compiler()) {
            EXPECT_EQ(complaints(*compiler, text, "sm_90"), "");
        }
    }
}

TEST(EmittedPtx, ReadsLikeWrittenByHand) {
    ir::Builder b("rows");
    b.launch({.blocks = {4, 1, 1}, .threads = {64, 1, 1}, .resident = 8});
    const auto x = b.input("x", DataType::float32, 4096);
    const auto y = b.output("y", DataType::float32, 4096);
    const Affine n = b.parameter("n");
    const Affine block = b.block(), thread = b.thread(), at = thread + 1024 * block;
    b.if_then({{at - n, ir::Condition::Relation::negative}}, [&] {
        b.for_loop("i", 16, [&](const Affine& i) {
            const ir::Value v = b.load(x, at + 64 * i);
            b.store(y, at + 64 * i, b.multiply(v, b.constant({DataType::float32, 1}, 0.5L)));
        });
    });
    EXPECT_EQ(ptx(b.finish()),
              R"(.version 7.0
.target sm_80
.address_size 64

// rows: the elements of its buffers
//   x: argument float32 0..4095, read
//   y: argument float32 0..4095
// 4 x 1 x 1 blocks
.visible .entry rows(.param .u64 .ptr .global .align 4 x, .param .u64 .ptr .global .align 4 y, .param .s64 n)
.maxntid 64, 1, 1
.minnctapersm 8
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<2>;

    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    ld.param.s64 %rd0, [n];
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u64 %rd3, [y];
    cvta.to.global.u64 %rd4, %rd3;
    mul.lo.s32 %r2, %r0, 1024;
    add.s32 %r3, %r2, %r1;
    cvt.s64.s32 %rd5, %r3;
    setp.ge.s64 %p0, %rd5, %rd0;
    @%p0 bra $else_0;
        mov.b32 %r4, 0;
        $loop_1:
            mad.lo.s32 %r5, %r4, 64, %r3;
            mad.wide.s32 %rd6, %r5, 4, %rd2;
            ld.global.nc.f32 %f0, [%rd6];
            mul.rn.f32 %f1, %f0, 0f3F000000;
            mad.wide.s32 %rd7, %r5, 4, %rd4;
            st.global.f32 [%rd7], %f1;
        add.s32 %r4, %r4, 1;
        setp.lt.s32 %p1, %r4, 16;
        @%p1 bra $loop_1;
    $else_0:
    ret;
}
)");
}

TEST(EmittedPtx, ComputesAddressesInTheNarrowestWidth) {
    for (const ir::Program& program : ptx_programs()) {
        const std::string module = ptx(program);
        const bool is_far = program.name == "extremes";
        const bool has_dynamic_indices = program.name == "tables" || program.name == "moving pointers";
        EXPECT_EQ(count(module, "mad.lo.s64"), is_far ? 1U : has_dynamic_indices ? 4U : 0U) << module;
    }
}

TEST(EmittedPtx, HoistsLoopInvariants) {
    const std::string module = ptx(ptx_transposition(DataType::float32));
    const std::string loop =
        module.substr(module.find("$loop_0:"), module.find("bar.sync") - module.find("$loop_0:"));
    EXPECT_EQ(count(loop, "mad."), 4U) << "two offsets, two addresses\n" << module;
    EXPECT_EQ(count(loop, "add."), 1U) << "the counter\n" << module;
}

TEST(EmittedPtx, ReadsThroughTheConstantCacheOnlyWhatNobodyWrites) {
    const ir::Program copy = ptx_copy(DataType::float32, 1, 0);
    EXPECT_EQ(count(ptx(copy), "ld.global.nc.f32"), 1U);
    EXPECT_EQ(count(ptx(copy, {.arguments_overlap = true}), ".nc"), 0U);
    ir::Builder b("in_place");
    b.launch({.threads = {32, 1, 1}});
    const auto x = b.output("x", DataType::float32, 32);
    b.store(x, b.thread(), b.negate(b.load(x, b.thread())));
    EXPECT_EQ(count(ptx(b.finish()), ".nc"), 0U);
}

TEST(EmittedPtx, UsesStreamingAccessesForMarkedBuffers) {
    EXPECT_EQ(count(ptx(ptx_transposition(DataType::float32)), "st.global.cs.f32"), 1U);
    EXPECT_EQ(count(ptx(ptx_copy(DataType::float32, 1, 0)), ".cs"), 0U);
}

TEST(EmittedPtx, EmbedsSmallTablesAndTakesLargeOnesAsArguments) {
    using Kind = PtxParameter::Kind;
    const ir::Program small = ptx_butterfly(DataType::float32, 64);
    EXPECT_EQ(ptx_interface(small).parameters,
              (std::vector<PtxParameter>{{Kind::buffer, 0}, {Kind::buffer, 1}}));
    EXPECT_EQ(count(ptx(small), ".global .align 16 .f32 twiddles[64] = {"), 1U);
    const PtxOptions none = {.largest_embedded_table = 0};
    EXPECT_EQ(ptx_interface(small, none).parameters,
              (std::vector<PtxParameter>{{Kind::buffer, 0}, {Kind::buffer, 1}, {Kind::buffer, 2}}));
    EXPECT_EQ(count(ptx(small, none), ".param .u64"), 3U);
}

TEST(EmittedPtx, UsesDynamicSharedMemoryBeyondTheStaticLimit) {
    for (const ir::Program& program : ptx_programs()) {
        const bool is_large = program.name == "extremes";
        EXPECT_EQ(ptx_interface(program).dynamic_shared_bytes, is_large ? 4096 * 8 + 8192 * 4 : 0);
        EXPECT_EQ(count(ptx(program), ".extern .shared"), is_large ? 1U : 0U);
    }
}

TEST(PtxLiterals, AreTheBitsOfTheRoundedValue) {
    EXPECT_EQ(ptx_literal(0.1L, DataType::float64), "0d3FB999999999999A");
    EXPECT_EQ(ptx_literal(0.1L, DataType::float32), "0f3DCCCCCD");
    EXPECT_EQ(ptx_literal(-0.0L, DataType::float32), "0f80000000");
    EXPECT_EQ(ptx_literal(0x1p-1074L, DataType::float64), "0d0000000000000001");
    EXPECT_EQ(ptx_literal(std::numeric_limits<long double>::infinity(), DataType::float64),
              "0d7FF0000000000000");
    EXPECT_EQ(ptx_literal(1.0L + 0x1p-11L, DataType::float16), "0f3F800000") << "a tie goes to even";
    EXPECT_EQ(ptx_literal(1.0L + 0x1p-7L, DataType::bfloat16), "0f3F810000");
    EXPECT_EQ(ptx_literal(-7, DataType::int64), "-7");
}

TEST(EmittedPtx, HoldsTablesOfShortTypesAsTheirBits) {
    ir::Builder b("short");
    b.launch({.threads = {8, 1, 1}});
    for (const DataType scalar : {DataType::float16, DataType::bfloat16}) {
        const auto table = b.table("table", scalar, {1, -2, 0x1p-24L, 65504, 0x1.8p-15L, -0.0L, 1e9L, 0.1L});
        b.store(b.output("out", scalar, 8), b.thread(), b.load(table, b.thread()));
    }
    const std::string module = ptx(b.finish());
    EXPECT_EQ(count(module, "0x3C00, 0xC000, 0x0001, 0x7BFF, 0x0300, 0x8000, 0x7C00, 0x2E66"), 1U) << module;
    EXPECT_EQ(count(module, "0x3F80, 0xC000, 0x3380, 0x4780, 0x3840, 0x8000, 0x4E6E, 0x3DCD"), 1U) << module;
}

TEST(EmittedPtx, IsAscii) {
    ir::Program program = ptx_copy(DataType::float32, 1, 0);
    program.name = "größe";
    const std::string module = ptx(program, {.comment = "½ of it"});
    for (const char c : module) ASSERT_LT(static_cast<unsigned char>(c), 0x80U);
    EXPECT_EQ(count(module, ".visible .entry gr_e("), 1U) << module;
}

TEST(EmittedPtx, RefusesWhatIsNoGpuProgram) {
    ir::Program program = ptx_copy(DataType::bfloat16, 2, 0);
    EXPECT_THROW(ptx(program, {.target = "sm_75"}), InternalError);
    EXPECT_THROW(ptx(program, {.target = "gfx90a"}), InternalError);
    EXPECT_THROW(ptx(program, {.target = "sm_90x"}), InternalError);
    EXPECT_NO_THROW(ptx(program, {.target = "sm_90a"}));
    program.launch.threads = {2048, 1, 1};
    EXPECT_THROW(ptx(program), InternalError);
    program.launch = {};
    EXPECT_THROW(ptx(program), InternalError) << "no launch";
    EXPECT_THROW(ptx(ptx_copy(DataType::float32, 32, 0)), InternalError) << "too many lanes";

    static const ir::Instruction foreign{
        .name = "estimate_reciprocal", .operands = {{}}, .result = {}, .meaning = {}, .lane_map = {}};
    ir::Builder machine("machine");
    machine.launch({.threads = {32, 1, 1}});
    const auto to = machine.output("out", DataType::float64, 1);
    machine.store(to, 0, machine.instruction(foreign, {machine.constant({}, 2)}));
    const ir::Program named = machine.finish();
    try {
        ptx(named);
        FAIL() << "accepted";
    } catch (const InternalError& error) {
        EXPECT_NE(std::string(error.what()).find("estimate_reciprocal"), std::string::npos);
    }
}

} // namespace ptx_test
} // namespace swirl::emit
