// Roles, tiles and mbarriers: a kernel that is right, in both orders of its roles, and what is found in kernels with a mistake.

#include "interpreter_run.hpp"
#include "ir/builder.hpp"
#include "tiles_kernel.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::ir::test {
namespace interpreter_tiles_test {

using Kind = Diagnostic::Kind;

double entry(Integer row, Integer k) { return static_cast<double>((row * 7 + k * 3) % 11 - 5); }

Arguments arguments_of(const TilesKernel& kernel, const Program& program) {
    Arguments arguments(program);
    for (const char* const name : {"a", "b"}) {
        Memory& memory = arguments[name];
        const Integer width = kernel.row_elements();
        for (Integer i = 0; i < memory.elements(); ++i) // memory outside the matrix is never read
            memory.set(i, i % width < kernel.k_extent ? entry(i / width, i % width) : 1e30);
    }
    return arguments;
}

InterpreterReport run_codegen_passes(const TilesKernel& kernel, bool last_role_first) {
    const Program program = kernel.program();
    Arguments arguments = arguments_of(kernel, program);
    InterpreterOptions options;
    options.throw_on_diagnostic = false;
    options.last_role_first = last_role_first;
    return interpret(program, arguments, options);
}

void expect_product(const TilesKernel& kernel, bool last_role_first) {
    const Program program = kernel.program();
    Arguments arguments = arguments_of(kernel, program);
    interpret(program, arguments, {.last_role_first = last_role_first});
    for (Integer row = 0; row < kernel.blocks * TilesKernel::rows; ++row)
        for (Integer column = 0; column < TilesKernel::columns; ++column) {
            double sum = 0;
            for (Integer k = 0; k < kernel.k_extent; ++k) sum += entry(row, k) * entry(column, k);
            ASSERT_EQ(arguments["c"][row * TilesKernel::columns + column], sum) << row << ", " << column;
        }
}

bool found(const InterpreterReport& report, Kind kind) {
    return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                       [&](const Diagnostic& f) { return f.kind == kind; });
}

/// In both orders.
void expect_found(Mistake mistake, Kind kind) {
    for (const bool last_role_first : {false, true}) {
        const InterpreterReport report = run_codegen_passes({.mistake = mistake}, last_role_first);
        EXPECT_TRUE(found(report, kind)) << last_role_first << ": " << report.text();
    }
}

TEST(InterpreterOfTiles, MultipliesInBothOrders) {
    for (const bool last_role_first : {false, true}) {
        expect_product({}, last_role_first);
        expect_product({.blocks = 3}, last_role_first);
        expect_product({.blocks = 4, .cluster = 2}, last_role_first);
        expect_product({.blocks = 2, .by_registers = true}, last_role_first);
    }
}

TEST(InterpreterOfTiles, FindsMistakesWithRegisterOperands) {
    for (const auto& [mistake, kind] : {std::pair{Mistake::touches_factor, Kind::race},
                                        {Mistake::reads_factor, Kind::unwritten_read},
                                        {Mistake::lacks_factor, Kind::unwritten_read},
                                        {Mistake::does_not_begin, Kind::missing_wgmma_fence},
                                        {Mistake::arrives_too_early, Kind::race},
                                        {Mistake::loads_after_products, Kind::race}}) {
        bool is_found = false;
        for (const bool last_role_first : {false, true})
            is_found =
                is_found ||
                found(run_codegen_passes({.mistake = mistake, .by_registers = true}, last_role_first), kind);
        EXPECT_TRUE(is_found) << static_cast<int>(mistake);
    }
}

/// 1 + 2⁻¹¹ and 1 + 3·2⁻¹¹ are midpoints of TF32 values.
TEST(InterpreterOfTiles, LoadsRoundToTheNearestOfElevenBits) {
    for (const auto& [value, expected] : {std::pair{1 + 0x1p-11, 1.0},
                                          {1 + 0x3p-11, 1 + 0x4p-11},
                                          {-1 - 0x1.8p-11, -1 - 0x2p-11},
                                          {1 + 0x1p-12, 1.0}}) {
        const TilesKernel kernel{.rounds = true};
        const Program program = kernel.program();
        Arguments arguments = arguments_of(kernel, program);
        for (Integer k = 0; k < kernel.k_extent; ++k) {
            arguments["a"].set(k, k == 5 ? value : 0);
            arguments["b"].set(k, k == 5 ? 1 : 0);
        }
        interpret(program, arguments);
        EXPECT_EQ(arguments["c"][0], expected) << value;
    }
}

TEST(InterpreterOfTiles, StoresWholeChunks) {
    for (const auto& [extent, stored] : {std::pair<Integer, Integer>{3, 4}, {4, 4}, {5, 8}, {8, 8}}) {
        const TilesKernel kernel{.stored_columns = extent};
        const Program program = kernel.program();
        Arguments arguments = arguments_of(kernel, program);
        interpret(program, arguments);
        for (Integer i = 0; i < arguments["c"].elements(); ++i)
            EXPECT_EQ(arguments["c"].is_written(i), i % TilesKernel::columns < stored) << extent << ": " << i;
    }
}

TEST(InterpreterOfTiles, CountsProductsAndBoxes) {
    const TilesKernel kernel{.blocks = 2};
    const InterpreterReport report = run_codegen_passes(kernel, false);
    EXPECT_EQ(report.flops, 2 * 64 * 8 * 160 * 2);
    EXPECT_EQ(report.loads[TilesKernel::a].bytes, 2 * 5 * 64 * 128);
    EXPECT_EQ(report.stores[TilesKernel::c].bytes, 2 * 64 * 8 * 4);
    EXPECT_EQ(report.stores[TilesKernel::c].sectors, 2 * 64);
    EXPECT_EQ(report.barriers, 2 * 2);
}

TEST(InterpreterOfTiles, IgnoresBitsOfOperands) {
    const TilesKernel kernel;
    const Program program = kernel.program();
    Arguments arguments = arguments_of(kernel, program);
    for (Integer i = 0; i < arguments["a"].elements(); ++i) arguments["a"].set(i, 0);
    for (Integer i = 0; i < arguments["b"].elements(); ++i) arguments["b"].set(i, 1);
    arguments["a"].set(0, -1.0L - 0x1p-10L - 0x1p-11L);
    interpret(program, arguments);
    EXPECT_EQ(arguments["c"][0], -1.0L - 0x1p-10L);
}

TEST(InterpreterOfTiles, FindsWaitsThatAreMissing) {
    expect_found(Mistake::does_not_wait_for_tiles, Kind::unwritten_read);
    expect_found(Mistake::does_not_wait_for_free_stage, Kind::race);
    expect_found(Mistake::arrives_too_early, Kind::race);
    expect_found(Mistake::does_not_wait_for_products, Kind::unwritten_read);
    expect_found(Mistake::does_not_wait_for_products, Kind::unfinished_async_copy);
    expect_found(Mistake::does_not_wait_for_store, Kind::unfinished_async_copy);
    expect_found(Mistake::reuses_stored_tile, Kind::race);
}

TEST(InterpreterOfTiles, FindsRowsThatBeginWithinAChunk) {
    expect_found(Mistake::begins_within_chunk, Kind::misaligned);
    expect_found(Mistake::stores_within_chunk, Kind::misaligned);
}

TEST(InterpreterOfTiles, FindsThatNobodyCanGoOn) {
    expect_found(Mistake::does_not_arrive, Kind::deadlock);
    expect_found(Mistake::expects_too_much, Kind::deadlock);
    const InterpreterReport report = run_codegen_passes({.mistake = Mistake::expects_too_much}, false);
    EXPECT_NE(report.text().find("deadlock: signals[0] stays in phase 0 with 1 of 1 arrivals, 9220 bytes "
                                 "expected and 9216 loaded, waited for by"),
              std::string::npos)
        << report.text();
    EXPECT_EQ(report.diagnostics.size(), 2U) << report.text(); // both roles wait
}

TEST(InterpreterOfTiles, FindsMisuseOfSignals) {
    expect_found(Mistake::arrives_twice, Kind::deadlock); // a phase too early, and then nobody waits for that
    expect_found(Mistake::expects_twice, Kind::misused_mbarrier);
    expect_found(Mistake::initializes_without_barrier, Kind::misused_mbarrier);
}

TEST(InterpreterOfTiles, FindsWhatProductsMayNotRelyOn) {
    expect_found(Mistake::does_not_begin, Kind::missing_wgmma_fence);
    expect_found(Mistake::divides_team, Kind::incomplete_warp);
    expect_found(Mistake::touches_sums, Kind::race);
}

TEST(InterpreterOfTiles, FindsStoresThatTheCopyEngineDoesNotSee) {
    expect_found(Mistake::does_not_publish, Kind::missing_proxy_fence);
    expect_found(Mistake::publishes_too_late, Kind::missing_proxy_fence);
    expect_found(Mistake::omits_barrier, Kind::race);
}

TEST(InterpreterOfTiles, FindsLoadsThatNobodyWaitsFor) {
    Builder b("lost");
    b.launch({.threads = {128, 1, 1}});
    b.input("x", DataType::float32, 32);
    b.add(TilesKernel::shared("tile", DataType::float32, 32));
    b.add(TilesKernel::shared("signal", DataType::int64, 1));
    b.tensor({"of_x", 0, 0, {32}, {1}, {32}});
    b.if_then({{b.thread(), Condition::Relation::zero}}, [&] {
        b.mbarrier_init({.buffer = 2}, 1);
        b.mbarrier_arrive_expect_tx({.buffer = 2}, 128);
        b.tma_load(0, std::vector{b.constant({DataType::int64, 1}, 0)}, {.buffer = 1}, {.buffer = 2});
    });
    EXPECT_TRUE(found(run_on_ramp(b.finish()), Kind::unfinished_async_copy));
}

/// Threads of one block without roles read what one of them has loaded.
TEST(InterpreterOfTiles, LoadsForThreadsThatHaveNoRoles) {
    for (const bool waits : {false, true}) {
        Builder b("without_roles");
        b.launch({.threads = {256, 1, 1}});
        b.input("x", DataType::float32, 256);
        b.output("y", DataType::float32, 256);
        b.add(TilesKernel::shared("tile", DataType::float32, 256));
        b.add(TilesKernel::shared("signal", DataType::int64, 1));
        b.tensor({"of_x", 0, 0, {256}, {1}, {256}});
        b.if_then({{b.thread(), Condition::Relation::zero}}, [&] { b.mbarrier_init({.buffer = 3}, 1); });
        b.barrier();
        const Value zero = b.constant({DataType::int64, 1}, 0);
        b.if_then({{b.thread(), Condition::Relation::zero}}, [&] {
            b.mbarrier_arrive_expect_tx({.buffer = 3}, 1024);
            b.tma_load(0, std::vector{zero}, {.buffer = 2}, {.buffer = 3});
        });
        if (waits) b.mbarrier_wait({.buffer = 3}, zero);
        b.store(1, b.thread(), b.load(2, 255 - b.thread()));
        const Program program = b.finish();
        const InterpreterReport report = run_on_ramp(program);
        EXPECT_EQ(report.ok(), waits) << report.text();
        EXPECT_EQ(found(report, Kind::unwritten_read), !waits);
    }
}

/// What one role stores the other reads: with an arrival in between, or without.
TEST(InterpreterOfTiles, OrdersRolesBySignalsAlone) {
    for (const bool arrives : {false, true})
        for (const bool last_role_first : {false, true}) {
            Builder b("handed_over");
            b.launch({.threads = {256, 1, 1}});
            const Buffer y = b.output("y", DataType::float32, 128);
            const Buffer between = b.shared("between", DataType::float32, 128);
            const Buffer mbarrier = b.shared("signal", DataType::int64, 1);
            b.if_then({{b.thread(), Condition::Relation::zero}},
                      [&] { b.mbarrier_init({.buffer = mbarrier}, 128); });
            b.barrier();
            b.if_then({{b.thread() - 128, Condition::Relation::negative}}, [&] {
                b.store(between, b.thread(), b.constant({DataType::float32, 1}, 1));
            });
            b.barrier();
            b.roles({{"writes", 0, 128, 0, {}}, {"reads", 128, 128, 0, {}}}, [&](std::size_t role) {
                if (role == 0) {
                    b.store(between, b.thread(0, 1, 128), b.constant({DataType::float32, 1}, 2));
                    if (arrives) b.mbarrier_arrive({.buffer = mbarrier});
                } else {
                    if (arrives) b.mbarrier_wait({.buffer = mbarrier}, b.constant({DataType::int64, 1}, 0));
                    b.store(y, b.thread(0, 1, 128), b.load(between, 127 - b.thread(0, 1, 128)));
                }
            });
            const Program program = b.finish();
            Arguments arguments(program);
            InterpreterOptions options{.throw_on_diagnostic = false, .last_role_first = last_role_first};
            const InterpreterReport report = interpret(program, arguments, options);
            EXPECT_EQ(report.ok(), arrives) << report.text();
            EXPECT_EQ(test::found(report, Kind::race, between), !arrives);
        }
}

/// One role fills a buffer again and again, and the other empties it. Who has emptied it arrives, or one thread for all.
Program passed_on(bool one_arrives, bool has_barrier) {
    constexpr Integer threads = 128;
    Builder b("passed_on");
    b.launch({.blocks = {2, 1, 1}, .threads = {2 * threads, 1, 1}});
    const Buffer y = b.output("y", DataType::float32, 2 * 6 * threads);
    const Buffer between = b.shared("between", DataType::float32, threads);
    const Buffer full = b.shared("full", DataType::int64, 1), empty = b.shared("empty", DataType::int64, 1);
    b.if_then({{b.thread(), Condition::Relation::zero}}, [&] {
        b.mbarrier_init({.buffer = full}, threads);
        b.mbarrier_init({.buffer = empty}, one_arrives ? 1 : threads);
    });
    b.barrier();
    const Value one = b.constant({DataType::int64, 1}, 1);
    const Affine own = b.thread(0, 1, threads);
    const auto fill = [&](const Affine& i) {
        b.mbarrier_wait({.buffer = empty}, b.bit_and(b.index(i + 1), one));
        b.store(between, own, b.convert(b.index(i), DataType::float32));
        b.mbarrier_arrive({.buffer = full});
    };
    const auto take = [&](const Affine& i) {
        b.mbarrier_wait({.buffer = full}, b.bit_and(b.index(i), one));
        b.store(y, 6 * threads * b.block() + threads * i + own, b.load(between, threads - 1 - own));
        if (has_barrier) b.barrier();
        if (one_arrives)
            b.if_then({{b.thread() - threads, Condition::Relation::zero}},
                      [&] { b.mbarrier_arrive({.buffer = empty}); });
        else
            b.mbarrier_arrive({.buffer = empty});
    };
    b.roles({{"fills", 0, threads, 0, {}}, {"takes", threads, threads, 0, {}}}, [&](std::size_t role) {
        b.for_loop(role == 0 ? "i" : "j", 6, [&](const Affine& i) { role == 0 ? fill(i) : take(i); });
    });
    return b.finish();
}

TEST(InterpreterOfTiles, PassesBuffersOnInLoops) {
    for (const bool one_arrives : {false, true})
        for (const bool has_barrier : {false, true})
            for (const bool last_role_first : {false, true}) {
                const Program program = passed_on(one_arrives, has_barrier);
                Arguments arguments(program);
                const InterpreterReport report = interpret(
                    program, arguments, {.throw_on_diagnostic = false, .last_role_first = last_role_first});
                EXPECT_EQ(report.ok(), has_barrier || !one_arrives) << report.text();
                for (Integer i = 0; i < 2 * 6 * 128; ++i) EXPECT_EQ(arguments["y"][i], i / 128 % 6);
                EXPECT_EQ(found(report, Kind::race), one_arrives && !has_barrier);
            }
}

constexpr WgmmaInstruction product_across = {.name = "m64n128k16",
                                             .rows = 64,
                                             .columns = 128,
                                             .k = 16,
                                             .operand_type = DataType::bfloat16,
                                             .has_layouts = true,
                                             .text = "m64n128k16"};

/// MN-major operands, the second in two panels.
TEST(InterpreterOfTiles, MultipliesMnMajorOperands) {
    Builder b("across");
    b.launch({.threads = {128, 1, 1}});
    const Buffer x = b.input("x", DataType::bfloat16, 16 * 64),
                 y = b.input("y", DataType::bfloat16, 16 * 128);
    const Buffer z = b.output("z", DataType::float32, 64 * 128);
    const Buffer tiles = b.add(TilesKernel::shared("tiles", DataType::bfloat16, 3 * 16 * 64));
    const Buffer mbarrier = b.shared("signal", DataType::int64, 1);
    const Buffer sums = b.local("sums", DataType::float32, product_across.registers());
    b.tensor({"of_x", x, 0, {64, 16}, {1, 64}, {64, 16}, 128});
    b.tensor({"of_y", y, 0, {128, 16}, {1, 128}, {64, 16}, 128});
    const Value zero = b.constant({DataType::int64, 1}, 0);
    b.if_then({{b.thread(), Condition::Relation::zero}}, [&] { b.mbarrier_init({.buffer = mbarrier}, 1); });
    b.barrier();
    b.if_then({{b.thread(), Condition::Relation::zero}}, [&] {
        b.mbarrier_arrive_expect_tx({.buffer = mbarrier}, 3 * 16 * 128);
        b.tma_load(0, std::vector{zero, zero}, {.buffer = tiles}, {.buffer = mbarrier});
        b.tma_load(1, std::vector{zero, zero}, {.buffer = tiles, .index = 1024}, {.buffer = mbarrier});
        b.tma_load(1, std::vector{b.constant({DataType::int64, 1}, 64), zero},
                   {.buffer = tiles, .index = 2048}, {.buffer = mbarrier});
    });
    const Value none = b.constant({DataType::float32, 1}, 0);
    for (int r = 0; r < product_across.registers(); ++r) b.store(sums, r, none);
    b.mbarrier_wait({.buffer = mbarrier}, zero);
    const auto what = AsyncFence::What::wgmmas;
    b.fence({.kind = AsyncFence::Kind::begin, .what = what});
    b.wgmma(product_across, sums, 0, {{.buffer = tiles}, {.k_major = false, .panel = 1024}},
            {{.buffer = tiles, .index = 1024}, {.k_major = false, .panel = 1024}});
    b.fence({.kind = AsyncFence::Kind::commit, .what = what});
    b.fence({.kind = AsyncFence::Kind::wait, .what = what});
    for (int r = 0; r < product_across.registers(); ++r)
        b.store(z,
                128 * (16 * b.thread(0, 32, 4) + b.thread(0, 4, 8) + r / 2 % 2 * 8) + 2 * b.thread(0, 1, 4) +
                    r / 4 * 8 + r % 2,
                b.load(sums, r));
    const Program program = b.finish();
    Arguments arguments(program);
    for (Integer k = 0; k < 16; ++k) {
        for (Integer i = 0; i < 64; ++i) arguments["x"].set(64 * k + i, entry(i, k));
        for (Integer j = 0; j < 128; ++j) arguments["y"].set(128 * k + j, entry(j, k));
    }
    interpret(program, arguments);
    for (Integer i = 0; i < 64; ++i)
        for (Integer j = 0; j < 128; ++j) {
            double sum = 0;
            for (Integer k = 0; k < 16; ++k) sum += entry(i, k) * entry(j, k);
            ASSERT_EQ(arguments["z"][128 * i + j], sum) << i << ", " << j;
        }
}

} // namespace interpreter_tiles_test
} // namespace swirl::ir::test
