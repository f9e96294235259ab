// Main loops in another order: what is written is proved, and what is wrong is not. Kernels are compiled by ptxas, where it is.
#include "sass/main_loop.hpp"

#include "emit/ptx/ptx.hpp"
#include "emit/ptx_compiler.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "sass/fixture.hpp"
#include "sass/loop_order.hpp"
#include "sass/loop_pattern.hpp"
#include "sass/loop_proof.hpp"
#include "sass/loop_scoreboards.hpp"
#include "sass/loop_writer.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace swirl::sass {
namespace main_loop_test {

const gemm::SimtGemm large{.cta_tile = {.m = 256, .n = 128, .k = 16},
                           .thread_tile = {.m = 16, .n = 8},
                           .a = {.vector_mn = 4},
                           .c_vector_m = 4};
/// Its loop has operations of a whole warp.
const gemm::SimtGemm small{.cta_tile = {.m = 128, .n = 64, .k = 32},
                           .math = gemm::Fma{.reorder_sass = true},
                           .sliced_k = 2,
                           .a = {.vector_mn = 4},
                           .c_vector_m = 4};

/// Blocks have more threads than a k-tile has copies, so some copies are conditional, and constants are read under the
/// condition.
const gemm::SimtGemm conditional{.cta_tile = {.m = 192, .n = 96, .k = 16},
                                 .thread_tile = {.m = 12, .n = 12},
                                 .math = gemm::Fma{.reorder_sass = true},
                                 .sliced_k = 2,
                                 .a = {.vector_mn = 4},
                                 .c_vector_m = 4};

Bytes compiled_product(const std::string& compiler, const gemm::SimtGemm& schedule) {
    MatrixProduct product;
    product.data_type = DataType::float32;
    product.rows = product.columns = product.k = 1536;
    product.a = product.b = product.c = {1, 1536};
    const target::Gpu& gpu = target::gpu_for(9, 0);
    const ir::Program program = gemm::gpu_gemm_kernels(product, schedule, gpu).back();
    const TemporaryFolder folder;
    const std::string source = (folder.path() / "kernel.ptx").string();
    std::ofstream(source) << emit::ptx(
        program, {.target = std::string(gpu.ptx_target), .version = std::string(gpu.ptx_version)});
    const auto outcome =
        support::run_command(support::quoted(compiler) + " -arch=sm_90 -o " + source + ".cubin " + source);
    return outcome.status == 0 ? bytes_of_text(support::content_of(source + ".cubin")) : Bytes();
}

class MainLoopOfAProduct : public testing::Test {
protected:
    static void SetUpTestSuite() { compile(large); }
    void SetUp() override {
        if (image.empty()) GTEST_SKIP() << "no ptxas that compiles for sm_90 is here";
    }
    static void compile(const gemm::SimtGemm& schedule) {
        image.clear();
        if (const auto compiler = emit::ptx_compiler()) image = compiled_product(*compiler, schedule);
        if (image.empty()) return;
        const Cubin cubin(image);
        const Cubin::Kernel& kernel = cubin.kernels().front();
        compiled = cubin.code(kernel);
        const LoopPattern pattern = loop_pattern(compiled, kernel.registers);
        span = pattern.span;
        written = compiled;
        std::ranges::copy(reordered_loop(pattern), written.begin() + static_cast<std::ptrdiff_t>(span.first));
        written[span.last + 1].control.wait |= loop_scoreboards;
    }

    /// What the proof says of the written loop after a change of the n-th instruction of a kind.
    std::string mismatch_after(Kind kind, std::size_t n, const std::function<void(Instruction&)>& change) {
        Code changed = written;
        for (std::size_t body_index = span.first; body_index <= span.last; ++body_index)
            if (kind_of(changed[body_index]) == kind && n-- == 0) {
                change(changed[body_index]);
                return loop_mismatch(compiled, changed, span).value_or("");
            }
        return "there is none";
    }

    const Instruction& written_one(Kind kind, std::size_t n) const {
        std::size_t body_index = span.first;
        while (kind_of(written[body_index]) != kind || n-- > 0) ++body_index;
        return written[body_index];
    }

    static inline Bytes image;
    static inline Code compiled, written;
    static inline LoopSpan span;
};

TEST_F(MainLoopOfAProduct, IsProvedInAnotherOrder) {
    EXPECT_EQ(loop_mismatch(compiled, written, span), std::nullopt);
    EXPECT_EQ(loop_mismatch(compiled, compiled, span),
              "instruction " + std::to_string(span.last + 1) + " outside the loop changed");
    const ReorderedLoop loop = reorder_main_loop(image, "sm_90");
    EXPECT_EQ(loop.not_reordered_because, "");
    EXPECT_LE(loop.cycles, loop.cycles_before);
    const Cubin cubin(loop.image);
    EXPECT_EQ(cubin.code(cubin.kernels().front()), written);
    EXPECT_NE(reorder_main_loop(loop.image, "sm_90").image, Bytes());
}

class MainLoopOfASmallProduct : public MainLoopOfAProduct {
protected:
    static void SetUpTestSuite() { compile(small); }
};

TEST_F(MainLoopOfASmallProduct, IsProvedWithWhatAWarpHasInCommon) {
    EXPECT_EQ(loop_mismatch(compiled, written, span), std::nullopt);
    const ReorderedLoop loop = reorder_main_loop(image, "sm_90");
    EXPECT_EQ(loop.not_reordered_because, "");
    EXPECT_LT(loop.cycles, loop.cycles_before);
    const auto nothing = [](Instruction& i) { i = decode({0x7918, 0x000fe20000000000}); };
    const auto guarded = [](Instruction& i) { i.guard = 5; };
    const auto negated = [](Instruction& i) { i.is_guard_negated = !i.is_guard_negated; };
    for (std::size_t n = 0; n < 8; ++n) {
        EXPECT_NE(mismatch_after(Kind::uniform, n, nothing), "") << n;
        EXPECT_NE(mismatch_after(Kind::uniform, n, guarded), "") << n;
    }
    EXPECT_EQ(mismatch_after(Kind::branch, 0, negated), "BRA has a form that the compiled loop lacks");
}

class MainLoopWithConditions : public MainLoopOfAProduct {
protected:
    static void SetUpTestSuite() { compile(conditional); }
};

TEST_F(MainLoopWithConditions, IsProvedWithTheseAlone) {
    EXPECT_EQ(loop_mismatch(compiled, written, span), std::nullopt);
    const ReorderedLoop loop = reorder_main_loop(image, "sm_90");
    EXPECT_EQ(loop.not_reordered_because, "");
    EXPECT_LT(loop.cycles, loop.cycles_before);
    int conditions = 0;
    for (std::size_t body_index = span.first; body_index <= span.last; ++body_index) {
        if (written[body_index].is_unconditional() || written[body_index].is_never()) continue;
        if (kind_of(written[body_index]) == Kind::branch) continue;
        ++conditions;
        const auto mismatch_with = [&](auto&& change) {
            Code changed = written;
            change(changed[body_index]);
            return loop_mismatch(compiled, changed, span);
        };
        EXPECT_TRUE(mismatch_with([](Instruction& i) { i.guard = true_predicate; })) << body_index;
        EXPECT_TRUE(mismatch_with([](Instruction& i) { i.guard = (i.guard + 1) % true_predicate; }))
            << body_index;
        EXPECT_TRUE(mismatch_with([](Instruction& i) { i.is_guard_negated = !i.is_guard_negated; }))
            << body_index;
        EXPECT_TRUE(mismatch_with([](Instruction& i) {
            i = decode({0x7918, 0x000fe20000000000});
        })) << body_index;
    }
    EXPECT_GT(conditions, 10);
}

TEST_F(MainLoopOfAProduct, HasAnOuterProductPerKIndex) {
    const LoopPattern pattern = loop_pattern(compiled, Cubin(image).kernels().front().registers);
    EXPECT_EQ(pattern.k_steps, 16U);
    EXPECT_EQ(std::max(pattern.rows, pattern.columns), 16U);
    EXPECT_EQ(std::min(pattern.rows, pattern.columns), 8U);
    const FmaSequence order = fma_sequences(pattern, 1).front();
    EXPECT_EQ((std::set<std::pair<std::size_t, std::size_t>>(order.begin(), order.end()).size()), 128U);
}

TEST_F(MainLoopOfAProduct, IsNotProvedWhereSomethingIsWrong) {
    const auto says = [&](const char* words, Kind kind, std::size_t n, auto&& change) {
        const std::string mismatch = mismatch_after(kind, n, change);
        EXPECT_NE(mismatch.find(words), std::string::npos) << words << ": " << mismatch;
    };
    const Kind product = Kind::multiply_add, load = Kind::shared_load, copy = Kind::copy;
    says("differs after", product, 700, [](Instruction& i) { i.a ^= 1; });
    says("differs after", product, 5, [](Instruction& i) { i.c = i.d ^= 1; });
    says("differs after", load, 3, [&](Instruction& i) { i.rest = written_one(load, 5).rest; });
    says("differs after", copy, 2, [](Instruction& i) { i.a += 2; });
    says("copies, waits", Kind::fence, 0, [](Instruction& i) { i = decode({0x7918, 0x000fe20000000000}); });
    says("copies, waits", copy, 0, [&](Instruction& i) { i.rest = written_one(copy, 1).rest; });
    says("differs after", Kind::barrier, 0, [](Instruction& i) { i = decode({0x7918, 0x000fe20000000000}); });
    says("differs after", Kind::integer, 4, [](Instruction& i) { i = decode({0x7918, 0x000fe20000000000}); });
    says("wait", product, 0, [](Instruction& i) { i.control.wait = 0; });
    says("wait", product, 128, [](Instruction& i) { i.control.wait = 0; });
    says("sets no write scoreboard", load, 7,
         [](Instruction& i) { i.control.write_scoreboard = no_scoreboard; });
    says("sets no read scoreboard", copy, 1,
         [](Instruction& i) { i.control.read_scoreboard = no_scoreboard; });
    says("has a stall count of 0", product, 9, [](Instruction& i) { i.control.stall = 0; });
    says("branch", Kind::branch, 0, [](Instruction& i) { set_distance(i, -5); });
}

TEST_F(MainLoopOfAProduct, IsNotProvedWhereHardwareMayRefuseInstructions) {
    const auto says = [&](const std::string& words, Kind kind, auto&& change) {
        const std::string mismatch = mismatch_after(kind, 3, change);
        EXPECT_NE(mismatch.find(words), std::string::npos) << words << ": " << mismatch;
    };
    const int last = named_registers(compiled) - 1;
    EXPECT_LT(last + 1, Cubin(image).kernels().front().registers);
    says("beyond R" + std::to_string(last), Kind::integer, [&](Instruction& i) { i.d = last + 1; });
    says("LDS has misaligned register pairs or quadruples", Kind::shared_load,
         [](Instruction& i) { i.d += 2; });
    says("LDGSTS has misaligned register pairs or quadruples", Kind::copy, [](Instruction& i) { i.a += 1; });
    says("form that the compiled loop lacks", Kind::multiply_add,
         [](Instruction& i) { i.rest.set_bits(77, 3, 1); });
    says("form that the compiled loop lacks", Kind::shared_load,
         [](Instruction& i) { i.rest.set_bits(78, 1, 1); });
    says("has a reuse flag", Kind::integer, [](Instruction& i) { i.control.reuse = 1; });
    says("FFMA has a reuse flag", Kind::multiply_add, [](Instruction& i) { i.control.reuse = 8; });
}

TEST_F(MainLoopOfAProduct, IsNotProvedWhereResultsAreUsedTooSoon) {
    const auto overlap = [](const std::vector<RegisterRange>& some,
                            const std::vector<RegisterRange>& others) {
        return std::ranges::any_of(some, [&](const RegisterRange& a) {
            return std::ranges::any_of(others, [&](const RegisterRange& b) { return a.overlaps(b); });
        });
    };
    const auto uses = [&](const Instruction& user, const Instruction& maker) {
        return overlap(registers_written(maker), registers_read(user)) ||
               (predicates_written(maker) & predicates_read(user)) != 0;
    };
    const auto hinders = [&](const Instruction& other, const Instruction& maker) {
        return overlap(registers_written(other), registers_written(maker)) ||
               (predicates_written(other) & predicates_written(maker)) != 0 || uses(maker, other);
    };
    // An integer's result, past what has nothing to do with it, to right before what takes it: terms stay as they are.
    int issued_early = 0;
    for (std::size_t body_index = span.first; body_index <= span.last; ++body_index) {
        const Instruction& maker = written[body_index];
        if (kind_of(maker) != Kind::integer) continue;
        std::size_t next = body_index + 1;
        while (next < span.last && !hinders(written[next], maker) && !uses(written[next], maker)) ++next;
        if (kind_of(written[next]) != Kind::integer || !uses(written[next], maker)) continue;
        Code changed = written;
        const auto begin = changed.begin() + static_cast<std::ptrdiff_t>(body_index);
        std::rotate(begin, begin + 1, begin + static_cast<std::ptrdiff_t>(next - body_index));
        const std::string mismatch = loop_mismatch(compiled, changed, span).value_or("");
        EXPECT_NE(mismatch, "");
        issued_early += mismatch.find(" is issued before ") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(issued_early, 3);
}

TEST(MainLoops, AreAParameterOfSchedules) {
    EXPECT_TRUE(gemm::reorders_sass(gemm::parse_gpu_schedule("reorder_sass=1")));
    EXPECT_THROW(gemm::parse_gpu_schedule("reorder_sass=2"), UserError);
    MatrixProduct product;
    product.data_type = DataType::float32;
    product.rows = product.columns = product.k = 1024;
    product.a = product.b = product.c = {1, 1024};
    const gemm::SimtGemm schedule{.math = gemm::Fma{.reorder_sass = true}};
    EXPECT_EQ(gemm::infeasibility(schedule, product, target::gpu_for(9, 0)), std::nullopt);
}

TEST(MainLoops, ThatAreNoneOfThisKindStay) {
    const Bytes image = bytes_of_text(fixture_text("product.cubin"));
    const ReorderedLoop loop = reorder_main_loop(image, "sm_90");
    EXPECT_EQ(loop.image, image);
    EXPECT_NE(loop.not_reordered_because.find("addresses are there too late"), std::string::npos)
        << loop.not_reordered_because;
    EXPECT_NE(reorder_main_loop(bytes_of_text("nothing"), "sm_90").not_reordered_because, "");
    EXPECT_EQ(reorder_main_loop(image, "sm_80").not_reordered_because,
              "latencies and register banks are known for sm_90 only, not for sm_80");
}

Instruction product(int d, int a, int b) {
    Instruction result;
    result.opcode = 0x223;
    result.d = result.c = d;
    result.a = a;
    result.b = b;
    return result;
}

Instruction move(int d, int b) {
    Instruction result;
    result.opcode = 0x202;
    result.d = d;
    result.b = b;
    result.rest.set_bits(72, 4, 0xf);
    return result;
}

/// Two products with a factor in one register, which is another number for the second.
class ProductsAroundAMove : public testing::Test {
protected:
    void SetUp() override {
        Instruction branch, exit;
        branch.opcode = 0x947;
        exit.opcode = 0x94d;
        exit.rest.set_bits(87, 3, true_predicate);
        branch.rest.set_bits(87, 3, true_predicate);
        set_distance(branch, -6);
        take_loop({move(8, 20), product(4, 8, 10), move(8, 22), product(5, 8, 10), product(6, 9, 11), branch,
                   exit});
    }
    void take_loop(const Code& code) {
        compiled = code;
        for (Instruction& instruction : compiled) instruction.control.stall = max_fixed_latency;
        if (kind_of(compiled[4]) == Kind::multiply_add) compiled[4].control.reuse = 3;
        written = compiled;
        written.front().control.wait = written.back().control.wait = loop_scoreboards;
    }
    std::string mismatch() const { return loop_mismatch(compiled, written, {0, 5}).value_or(""); }

    Code compiled, written;
};

TEST_F(ProductsAroundAMove, RejectStaleReuseCacheReads) {
    const std::string old_one = "FFMA reads a stale R8 from the reuse cache";
    EXPECT_EQ(mismatch(), "");
    written[1].control.reuse = 1;
    EXPECT_EQ(mismatch(), old_one);
    written[1].control.reuse = 2; // R10 no_yield as it is
    EXPECT_EQ(mismatch(), "");
    written[3].control.reuse = 1; // found by the first product of the next iteration
    EXPECT_EQ(mismatch(), old_one);
    written[4].a = compiled[4].a = 12; // takes the place of R8, which is in its bank
    EXPECT_EQ(mismatch(), "");
}

TEST_F(ProductsAroundAMove, MayReadWhatIsMoved) {
    written[3].a = 22; // R8 is a copy of it
    EXPECT_EQ(mismatch(), "");
    written[3].a = 20;
    EXPECT_EQ(mismatch(), "R5 differs after an iteration");
    compiled[2].rest.set_bits(72, 4, 0x7); // not all of its bytes
    written = compiled;
    written.front().control.wait = written.back().control.wait = loop_scoreboards;
    EXPECT_EQ(mismatch(), "");
    written[3].a = 22;
    EXPECT_EQ(mismatch(), "R5 differs after an iteration");
}

/// A number that is there under a condition, in R8 as compiled and in R30 as written, which R12 takes up.
class GuardedValues : public ProductsAroundAMove {
protected:
    static Instruction guarded(Instruction instruction, int guard) {
        instruction.guard = guard;
        return instruction;
    }
    static Instruction sum(int d, int a, int b) {
        Instruction result;
        result.opcode = 0x210; // IADD3
        result.d = d;
        result.a = a;
        result.b = b;
        result.c = zero_register;
        for (const int predicate : {81, 84, 87, 77}) result.rest.set_bits(predicate, 3, true_predicate);
        return result;
    }
    static Instruction comparison(int predicate) {
        Instruction result;
        result.opcode = 0x20c; // ISETP
        result.d = zero_register;
        result.a = 20;
        result.b = 21;
        for (const int field : {84, 87}) result.rest.set_bits(field, 3, true_predicate);
        result.rest.set_bits(81, 3, static_cast<std::uint64_t>(predicate));
        result.rest.set_bits(68, 3, true_predicate);
        return result;
    }
    /// Both loops with these in place of the first three instructions; what is written has R30 for R8.
    std::string mismatch_of(std::vector<Instruction> beginning) {
        Code code = compiled;
        for (std::size_t body_index = 0; body_index < 5; ++body_index)
            code[body_index] = decode({0x7918, 0x000fe20000000000});
        code[3] = product(6, 9, 40);
        code[4] = move(8, 41); // so that nobody wants R8 afterwards
        std::ranges::copy(beginning, code.begin());
        take_loop(code);
        for (std::size_t body_index = 0; body_index < 3; ++body_index)
            for (int* const reg : {&written[body_index].d, &written[body_index].a, &written[body_index].b})
                if (*reg == 8) *reg = 30;
        return mismatch();
    }
};

TEST_F(GuardedValues, AreSeenUnderTheSameGuardAlone) {
    const std::string another = "R12 differs after an iteration";
    const Instruction make = guarded(move(8, 40), 1);
    EXPECT_EQ(mismatch_of({make, guarded(sum(12, 12, 8), 1)}), "");
    EXPECT_EQ(mismatch_of({make, sum(12, 12, 8)}), another) << "what was in R8 and R30 before";
    EXPECT_EQ(mismatch_of({make, guarded(sum(12, 12, 8), 2)}), another);
    Instruction otherwise = guarded(sum(12, 12, 8), 1);
    otherwise.is_guard_negated = true;
    EXPECT_EQ(mismatch_of({make, otherwise}), another);
    EXPECT_EQ(mismatch_of({make, comparison(1), guarded(sum(12, 12, 8), 1)}), another) << "another P1";
    EXPECT_EQ(mismatch_of({make, comparison(2), guarded(sum(12, 12, 8), 1)}), "");
    EXPECT_EQ(mismatch_of({make, guarded(move(8, 20), 2), guarded(sum(12, 12, 8), 1)}), another)
        << "right, but not understood";
    EXPECT_EQ(mismatch_of({guarded(sum(12, 12, 8), 1), make}), another) << "of the iteration before";
}

TEST_F(ProductsAroundAMove, LoadWhatTheCompiledOnesDo) {
    Instruction load;
    load.opcode = 0x984; // LDS R30, [R20]
    load.d = 30;
    load.a = 20;
    load.rest.set_bits(73, 3, 4);
    load.control.write_scoreboard = 1;
    Code code = compiled;
    code[2] = load;
    take_loop(code);
    EXPECT_EQ(mismatch(), "");
    written[2].a = 22; // nobody wants it, but there may be no such memory
    EXPECT_EQ(mismatch(), "the loop loads from other shared addresses than the compiled one");
}

TEST_F(ProductsAroundAMove, RejectEarlyUniformRegisterUses) {
    Instruction add, take = move(8, 4), load;
    add.opcode = 0x890; // UIADD3 UR4, UR4, 1, URZ
    add.d = add.a = 4;
    add.b = 1;
    add.c = uniform_zero_register;
    for (const int predicate : {81, 84, 87}) add.rest.set_bits(predicate, 3, true_predicate);
    take.opcode = 0xc02; // MOV R8, UR4
    take.rest.set_bits(91, 1, 1);
    Code code = compiled;
    code[0] = add;
    code[2] = take;
    take_loop(code);
    EXPECT_EQ(mismatch(), "");
    written[1].control.stall = 1;
    EXPECT_EQ(mismatch(), "MOV is issued before UR4 is ready");
    load.opcode = 0x984; // LDS R8, [R20 + UR4]
    load.d = 8;
    load.a = 20;
    load.b = 4;
    load.rest.set_bits(73, 3, 4);
    load.rest.set_bits(91, 1, 1);
    load.control.write_scoreboard = 1;
    code[2] = load;
    take_loop(code);
    written[3].control.wait = loop_scoreboards;
    EXPECT_EQ(mismatch(), "LDS reads a uniform register that the loop writes");
}

TEST(OperandsOfTheReuseCache, AreKeptUntilTheyAreOverwritten) {
    Code body = {product(100, 8, 10), product(101, 8, 12), product(102, 9, 12), product(103, 8, 12)};
    set_reuse_flags(body);
    EXPECT_EQ(body[0].control.reuse, 1U); // b's next one in the bank is another
    EXPECT_EQ(body[1].control.reuse, 3U); // a no_yield beside R9, which is in the other bank
    EXPECT_EQ(body[2].control.reuse, 2U);
    body = {product(100, 8, 12), move(12, 20), product(101, 8, 12)};
    set_reuse_flags(body);
    EXPECT_EQ(body[0].control.reuse, 1U);
}

TEST(Scoreboards, AreWaitedForByReadersAndWriters) {
    Instruction load;
    load.opcode = 0x984;
    load.d = 8;
    load.a = 4;
    load.rest.set_bits(73, 3, 6);
    load.control.write_scoreboard = 2;
    PendingAccesses outstanding;
    outstanding.issue(load);
    EXPECT_EQ(outstanding.needed_by(move(30, 11)), 1U << 2);
    EXPECT_EQ(outstanding.needed_by(move(30, 12)), 0U);
    Instruction overwrites = move(4, 12); // the load may not have read its address yet
    EXPECT_EQ(outstanding.needed_by(overwrites), 1U << 2);
    overwrites.control.wait = 1U << 2;
    outstanding.issue(overwrites);
    EXPECT_EQ(outstanding.needed_by(load), 0U);
}

} // namespace main_loop_test
} // namespace swirl::sass
