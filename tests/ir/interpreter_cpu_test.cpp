// What the interpreter computes for serial programs, and what it finds wrong with them. Every diagnostic has a
// program that must be reported and a twin, as close as possible, that must not.

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace swirl::ir {
namespace interpreter_cpu_test {

constexpr Type f64{DataType::float64, 1};

InterpreterReport report_of(const Program& program, Arguments& arguments) {
    InterpreterOptions options;
    options.throw_on_diagnostic = false;
    return interpret(program, arguments, options);
}

void expect_only(const InterpreterReport& report, Diagnostic::Kind kind, Buffer buffer, Integer element) {
    ASSERT_EQ(report.diagnostics.size(), 1U) << report.text();
    EXPECT_EQ(report.diagnostics[0].kind, kind);
    EXPECT_EQ(report.diagnostics[0].buffer, buffer);
    EXPECT_EQ(report.diagnostics[0].element, element);
}

std::vector<double> ramp(Integer count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

/// y[j] = Σ_k x[k]·table[j·k mod n], with loops, inductions and a table-driven permutation.
TEST(InterpreterOnCpu, MatrixVectorProductThroughLoopsAndDynamicIndices) {
    constexpr Integer n = 8;
    std::vector<Integer> products;
    for (Integer j = 0; j < n; ++j)
        for (Integer k = 0; k < n; ++k) products.push_back(j * k % n);
    Builder b("dft_real_part");
    const Buffer x = b.input("x", DataType::float64, n);
    const Buffer y = b.output("y", DataType::float64, n);
    std::vector<long double> cosines;
    for (Integer i = 0; i < n; ++i)
        cosines.push_back(std::cos(2 * std::acos(-1.0L) * static_cast<long double>(i) / n));
    const Buffer table = b.table("cosines", DataType::float64, cosines);
    const Buffer map = b.table("products", products);
    const Buffer sum = b.local("sum", DataType::float64, 1);
    b.for_loop("j", n, [&](const Affine& j) {
        const Affine row = b.induction("row", 0, n);
        b.store(sum, 0, b.constant(f64, 0));
        b.for_loop("k", n, [&](const Affine& k) {
            const Value at = b.load(map, row + k);
            const Value w = b.load(table, 0, {.dynamic = at});
            b.store(sum, 0, b.fma(w, b.load(x, k), b.load(sum, 0)));
        });
        b.store(y, j, b.load(sum, 0));
    });
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(n));
    const InterpreterReport report = interpret(program, arguments);
    for (Integer j = 0; j < n; ++j) {
        double expected = 0;
        for (Integer k = 0; k < n; ++k)
            expected = std::fma(static_cast<double>(cosines[static_cast<std::size_t>(j * k % n)]),
                                static_cast<double>(k + 1), expected);
        EXPECT_EQ(static_cast<double>(arguments["y"][j]), expected) << j;
    }
    EXPECT_EQ(report.flops, 2 * n * n);
    EXPECT_EQ(report.count(Opcode::fma), n * n);
}

TEST(InterpreterOnCpu, ConditionsChooseTheirBranch) {
    Builder b("clamp");
    const Buffer y = b.output("y", DataType::float64, 6);
    b.for_loop("i", 6, [&](const Affine& i) {
        b.if_then(
            {{i - 2, Condition::Relation::nonnegative}, {i - 4, Condition::Relation::negative}},
            [&] { b.store(y, i, b.constant(f64, 1)); },
            [&] {
                b.if_then(
                    {{i - 5, Condition::Relation::zero}}, [&] { b.store(y, i, b.constant(f64, 2)); },
                    [&] { b.store(y, i, b.constant(f64, 3)); });
            });
    });
    const Program program = b.finish();
    Arguments arguments(program);
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{3, 3, 1, 1, 3, 2}));
}

TEST(InterpreterOnCpu, ParametersReachIndices) {
    Builder b("offset_copy");
    const Buffer x = b.input("x", DataType::float64, 8);
    const Buffer y = b.output("y", DataType::float64, 4);
    const Affine offset = b.parameter("offset");
    b.for_loop("i", 4, [&](const Affine& i) { b.store(y, i, b.load(x, i + offset)); });
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(8));
    arguments.parameters = {3};
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{4, 5, 6, 7}));
    arguments.parameters.clear();
    EXPECT_THROW(interpret(program, arguments), InternalError);
}

TEST(InterpreterOnCpu, NegativeIndicesReachBuffersThatStartBelowZero) {
    BufferInfo reversed;
    reversed.name = "x";
    reversed.role.argument = ArgumentRole::input;
    reversed.elements = 4;
    reversed.first = -3;
    Builder b("reverse");
    const Buffer x = b.add(reversed);
    const Buffer y = b.output("y", DataType::float64, 4);
    b.for_loop("i", 4, [&](const Affine& i) { b.store(y, i, b.load(x, -1 * i)); });
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(4));
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{4, 3, 2, 1}));
}

TEST(InterpreterOnCpu, VectorAccessesTakeStridesAndActiveLanes) {
    Builder b("lanes");
    const Buffer x = b.input("x", DataType::float64, 16);
    const Buffer y = b.output("y", DataType::float64, 12);
    b.store(y, 0, b.load(x, 1, {.lanes = 4, .lane_stride = 3}), {.active = 3});
    b.store(y, 3, b.load(x, 0, {.lanes = 4, .active = 2}));
    b.store(y, 11, b.load(x, 12, {.lanes = 4}), {.lane_stride = -1});
    b.store(y, 7, b.load(x, 0));
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(16));
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{2, 5, 8, 1, 2, 0, 0, 1, 16, 15, 14, 13}));
}

TEST(InterpreterOnCpu, ShufflesAndSelections) {
    Builder b("shuffles");
    const Buffer x = b.input("x", DataType::float64, 4);
    const Buffer y = b.output("y", DataType::float64, 8);
    const Value v = b.load(x, 0, {.lanes = 4});
    const Value minus = b.negate(v);
    b.store(y, 0, b.shuffle(v, minus, {0, 4, 3, 7}));
    const Value limit = b.splat(b.constant(f64, 2.5), 4);
    b.store(y, 4, b.select(b.less(v, limit), v, limit));
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(4));
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{1, -1, 4, -4, 1, 2, 2.5, 2.5}));
}

TEST(InterpreterOnCpu, UndefinedShuffleLanesAreNan) {
    Builder b("open");
    const Buffer x = b.input("x", DataType::float64, 2);
    const Buffer y = b.output("y", DataType::float64, 2);
    const Value v = b.load(x, 0, {.lanes = 2});
    b.store(y, 0, b.shuffle(v, v, {1, -1}));
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(2));
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"][0], 2);
    EXPECT_TRUE(std::isnan(arguments["y"][1]));
}

/// swap_halves is a pure shuffle given by its map; add_lanes has a meaning only.
const Instruction swap_halves{.name = "swap_halves",
                              .operands = {{DataType::float32, 4}},
                              .result = {DataType::float32, 4},
                              .lane_map = {2, 3, 0, 1}};
const Instruction add_lanes{.name = "add_lanes",
                            .operands = {{DataType::float32, 4}, {DataType::float32, 1}},
                            .result = {DataType::float32, 2},
                            .meaning = [](std::span<const Lanes> a) {
                                return Lanes{a[0][0] + a[0][1] + a[1][0], a[0][2] + a[0][3] + a[1][0]};
                            }};

TEST(InterpreterOnCpu, InstructionsMeanWhatTheirTableSays) {
    Builder b("instructions");
    const Buffer x = b.input("x", DataType::float32, 4);
    const Buffer y = b.output("y", DataType::float32, 2);
    const Value v = b.instruction(swap_halves, {b.load(x, 0, {.lanes = 4})});
    b.store(y, 0, b.instruction(add_lanes, {v, b.load(x, 0)}));
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(std::vector<double>{0x1p-25, 1, 3, 4});
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{7, 1})) << "rounded to float32";
}

// ---- diagnostics -------------------------------------------------------------------------------------------------

Program copy(Integer count, Integer stride) {
    Builder b("copy");
    const Buffer x = b.input("x", DataType::float64, 8);
    const Buffer y = b.output("y", DataType::float64, 8);
    b.for_loop("i", count, [&](const Affine& i) { b.store(y, stride * i, b.load(x, i)); });
    return b.finish();
}

TEST(InterpreterFinds, AccessesOutOfBounds) {
    const Program beyond_input = copy(9, 0);
    Arguments arguments(beyond_input);
    arguments["x"].assign(ramp(8));
    const InterpreterReport report = report_of(beyond_input, arguments);
    expect_only(report, Diagnostic::Kind::out_of_bounds, 0, 8);
    EXPECT_EQ(report.diagnostics[0].message,
              "access out of bounds: x[8] (elements 0 to 7) by '%0 = load x[i] : float64', i = 8");
    const Program beyond_output = copy(5, 2);
    expect_only(report_of(beyond_output, arguments), Diagnostic::Kind::out_of_bounds, 1, 8);
    const Program below = copy(2, -1);
    expect_only(report_of(below, arguments), Diagnostic::Kind::out_of_bounds, 1, -1);
    const Program right = copy(8, 1);
    EXPECT_TRUE(report_of(right, arguments).ok());
    EXPECT_EQ(arguments["y"].values(), ramp(8));
}

TEST(InterpreterFinds, ReadsOfUnwrittenMemoryOfEverySpace) {
    for (const Space space : {Space::scratch, Space::local, Space::shared, Space::argument}) {
        for (const Integer written : {3, 4}) {
            BufferInfo info;
            info.name = "between";
            info.space = space;
            if (space == Space::argument) info.role.argument = ArgumentRole::data;
            info.elements = 4;
            info.written = true;
            Builder b("through");
            const Buffer between = b.add(info);
            const Buffer y = b.output("y", DataType::float64, 4);
            b.for_loop("i", written, [&](const Affine& i) { b.store(between, i, b.constant(f64, 1)); });
            b.store(y, 0, b.load(between, 0, {.lanes = 4}));
            const Program program = b.finish();
            Arguments arguments(program);
            const InterpreterReport report = report_of(program, arguments);
            if (written == 4)
                EXPECT_TRUE(report.ok()) << report.text();
            else
                expect_only(report, Diagnostic::Kind::unwritten_read, between, 3);
        }
    }
}

TEST(InterpreterFinds, WritesToReadOnlyMemory) {
    for (const bool written : {false, true}) {
        Builder b("writes");
        const Buffer x = written ? b.output("x", DataType::float64, 1) : b.input("x", DataType::float64, 1);
        b.store(x, 0, b.constant(f64, 1));
        const Program program = b.finish();
        Arguments arguments(program);
        const InterpreterReport report = report_of(program, arguments);
        if (written)
            EXPECT_TRUE(report.ok());
        else
            expect_only(report, Diagnostic::Kind::read_only_write, x, 0);
    }
}

TEST(InterpreterFinds, RacesBetweenIterationsOfAParallelLoop) {
    for (const Integer scratch_a_row : {0, 1}) {
        Builder b("rows");
        const Buffer x = b.input("x", DataType::float64, 8);
        const Buffer y = b.output("y", DataType::float64, 8);
        const Buffer scratch = b.scratch("scratch", DataType::float64, 4);
        b.for_loop("row", 0, 4, 1, For::Kind::parallel, [&](const Affine& row) {
            b.store(scratch, scratch_a_row * row, b.load(x, 2 * row));
            b.store(y, 2 * row, b.load(scratch, scratch_a_row * row));
            b.store(y, 2 * row + 1, b.load(x, 2 * row + 1));
        });
        b.store(y, 0, b.load(y, 7));
        const Program program = b.finish();
        Arguments arguments(program);
        arguments["x"].assign(ramp(8));
        const InterpreterReport report = report_of(program, arguments);
        if (scratch_a_row == 1)
            EXPECT_TRUE(report.ok()) << report.text();
        else {
            ASSERT_EQ(report.diagnostics.size(), 2U) << "one for the store, one for the load";
            for (const Diagnostic& diagnostic : report.diagnostics) {
                EXPECT_EQ(diagnostic.kind, Diagnostic::Kind::race);
                EXPECT_EQ(diagnostic.buffer, scratch);
                EXPECT_EQ(diagnostic.times, 3);
            }
        }
    }
}

TEST(InterpreterFinds, DataPassedThroughPerIterationMemory) {
    for (const bool carried : {false, true}) {
        Builder b("rows");
        const Buffer x = b.input("x", DataType::float64, 4);
        const Buffer y = b.output("y", DataType::float64, 4);
        BufferInfo own;
        own.name = "own";
        own.space = Space::scratch;
        own.elements = 2;
        own.written = true;
        own.nest_depth = 1;
        const Buffer scratch = b.add(own);
        b.for_loop("row", 0, 4, 1, For::Kind::parallel, [&](const Affine& row) {
            b.store(scratch, 0, b.load(x, row));
            if (!carried) b.store(scratch, 1, b.load(x, row));
            b.store(y, row, b.add(b.load(scratch, 0), b.load(scratch, 1)));
        });
        const Program program = b.finish();
        Arguments arguments(program);
        arguments["x"].assign(ramp(4));
        if (carried) arguments["own"].assign(ramp(2));
        const InterpreterReport report = report_of(program, arguments);
        if (carried)
            expect_only(report, Diagnostic::Kind::unwritten_read, scratch, 1);
        else
            EXPECT_TRUE(report.ok()) << report.text();
    }
}

/// All iterations of the inner loop read what the first to run stores: the memory of the outer loop's iteration has it, that
/// of an iteration of both loops has not been written.
TEST(InterpreterFinds, DataPassedThroughMemoryOfInnerIterations) {
    for (const int depth : {1, 2}) {
        Builder b("rows");
        const Buffer x = b.input("x", DataType::float64, 4);
        const Buffer y = b.output("y", DataType::float64, 12);
        BufferInfo own;
        own.name = "own";
        own.space = Space::scratch;
        own.elements = 3;
        own.written = true;
        own.nest_depth = depth;
        const Buffer scratch = b.add(own);
        b.for_loop("row", 0, 4, 1, For::Kind::parallel, [&](const Affine& row) {
            b.for_loop("column", 0, 3, 1, For::Kind::parallel, [&](const Affine& column) {
                b.store(scratch, column, b.load(x, row));
                b.store(y, 3 * row + column, b.load(scratch, 2));
            });
        });
        const Program program = b.finish();
        Arguments arguments(program);
        arguments["x"].assign(ramp(4));
        const InterpreterReport report = report_of(program, arguments);
        EXPECT_EQ(report.ok(), depth == 1) << report.text();
    }
}

TEST(InterpreterFinds, RacesBetweenNestedParallelIterations) {
    for (const Integer columns : {2, 3}) {
        Builder b("pairs");
        const Buffer y = b.output("y", DataType::float64, 9);
        b.for_loop("row", 0, 3, 1, For::Kind::parallel, [&](const Affine& row) {
            b.for_loop("column", 0, columns, 1, For::Kind::parallel, [&](const Affine& column) {
                b.store(y, 2 * row + column, b.constant({DataType::float64, 1}, 1));
            });
        });
        const Program program = b.finish();
        Arguments arguments(program);
        EXPECT_EQ(report_of(program, arguments).ok(), columns == 2);
    }
}

TEST(InterpreterFinds, ReportsFirstDiagnosticPerOperationAndCountsTheRest) {
    const Program program = copy(12, 1);
    Arguments arguments(program);
    arguments["x"].assign(ramp(8));
    const InterpreterReport report = report_of(program, arguments);
    ASSERT_EQ(report.diagnostics.size(), 2U);
    EXPECT_EQ(report.diagnostics[0].times, 4);
    EXPECT_EQ(report.diagnostics[1].times, 4);
    try {
        interpret(program, arguments);
        FAIL() << "nothing was thrown";
    } catch (const InterpreterError& error) {
        EXPECT_EQ(error.report().diagnostics.size(), 2U);
        EXPECT_NE(std::string(error.what()).find("x[8]"), std::string::npos);
    }
}

/// Aliased arguments: what is stored is what is loaded afterwards.
TEST(InterpreterOnCpu, AliasedArgumentsShareMemory) {
    Builder b("shift");
    const Buffer x = b.input("x", DataType::float64, 4);
    const Buffer y = b.output("y", DataType::float64, 4);
    b.for_loop("i", 3, [&](const Affine& i) { b.store(y, i + 1, b.load(x, i)); });
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(ramp(4));
    arguments.alias("y", "x");
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{1, 1, 1, 1}));
}

TEST(Interpreter, RunsAgainFromTheSameDecodedProgram) {
    const Program program = copy(8, 1);
    Interpreter interpreter(program);
    for (const double scale : {1.0, 2.0}) {
        Arguments arguments(program);
        std::vector<double> x = ramp(8);
        for (double& value : x) value *= scale;
        arguments["x"].assign(x);
        EXPECT_TRUE(interpreter.run(arguments).ok());
        EXPECT_EQ(arguments["y"].values(), x);
    }
}

} // namespace interpreter_cpu_test
} // namespace swirl::ir
