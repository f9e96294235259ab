// What is executed as data say: who meets, what is written down, and where it cannot be.

#include "interpreter_run.hpp"
#include "ir/analysis.hpp"
#include "ir/builder.hpp"
#include "ir/count.hpp"
#include "ir/print.hpp"
#include "ir/verify.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

namespace swirl::ir::test {
namespace conditions_on_values_test {

using Relation = Condition::Relation;
constexpr Type i64{DataType::int64, 1};
constexpr Integer threads = 4;

/// y[i] = 1 where choice[i] or, for all threads, choice[0] + `more` has the relation, else 2; with a barrier inside if
/// wanted.
Program chosen(Relation relation, Integer more, bool for_all = true, bool has_barrier = false) {
    Builder b("chosen");
    b.launch({.blocks = {1, 1, 1}, .threads = {threads, 1, 1}});
    const Buffer choice = b.input("choice", DataType::int64, threads);
    const Buffer y = b.output("y", DataType::int64, threads);
    const Value value = b.load(choice, for_all ? Affine(0) : b.thread());
    b.if_then(
        {{more, relation, value}},
        [&] {
            if (has_barrier) b.barrier();
            b.store(y, b.thread(), b.constant(i64, 1));
        },
        [&] { b.store(y, b.thread(), b.constant(i64, 2)); });
    return b.finish();
}

std::vector<Integer> result(const Program& program, const std::vector<long double>& choice) {
    verify(program, VerificationLevel::vectorized);
    Arguments arguments(program);
    arguments["choice"].assign(choice);
    interpret(program, arguments);
    std::vector<Integer> values;
    for (Integer i = 0; i < threads; ++i) values.push_back(static_cast<Integer>(arguments["y"][i]));
    return values;
}

TEST(ConditionsOnValues, HoldOfEachThreadsOwn) {
    const std::vector<long double> choice = {-1, 0, 1, 2};
    EXPECT_EQ(result(chosen(Relation::negative, 0, false), choice), (std::vector<Integer>{1, 2, 2, 2}));
    EXPECT_EQ(result(chosen(Relation::nonnegative, 0, false), choice), (std::vector<Integer>{2, 1, 1, 1}));
    EXPECT_EQ(result(chosen(Relation::zero, 0, false), choice), (std::vector<Integer>{2, 1, 2, 2}));
    EXPECT_EQ(result(chosen(Relation::nonnegative, -1, false), choice), (std::vector<Integer>{2, 2, 1, 1}));
}

TEST(ConditionsOnValues, AllowBarriersUnderUniformConditions) {
    EXPECT_EQ(result(chosen(Relation::zero, 0, true, true), {0, 1, 1, 1}), std::vector<Integer>(threads, 1));
    EXPECT_EQ(result(chosen(Relation::zero, 0, false, true), {0, 0, 0, 0}), std::vector<Integer>(threads, 1));
    const Program apart = chosen(Relation::zero, 0, false, true);
    Arguments arguments(apart);
    arguments["choice"].assign(std::vector<long double>{0, 0, 1, 0});
    const InterpreterReport report = run(apart, arguments);
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.text().find("barrier"), std::string::npos) << report.text();
}

TEST(ConditionsOnValues, ArePrinted) {
    EXPECT_NE(to_string(chosen(Relation::zero, 0)).find("if %0 = 0:"), std::string::npos)
        << to_string(chosen(Relation::zero, 0));
    EXPECT_NE(to_string(chosen(Relation::nonnegative, -1)).find("if %0 + -1 >= 0:"), std::string::npos)
        << to_string(chosen(Relation::nonnegative, -1));
}

TEST(ConditionsOnValues, KeepTheirValues) {
    Program program = chosen(Relation::zero, 0);
    EXPECT_TRUE(has_conditions_on_values(program));
    EXPECT_EQ(use_counts(program)[0], 1);
    EXPECT_EQ(live_operations(program)[0], 1);
    program.operations.insert(program.operations.begin(), Operation{});
    for_each_straight_line_block(program, [](StraightLineBlock& run) {
        for (Value& value : run.operations) ++value;
    });
    for (Operation& operation : program.operations) for_each_operand(operation, [](Value& used) { ++used; });
    for_each_condition(program, [](Condition& condition) { ++condition.value; });
    compact(program);
    EXPECT_EQ(result(program, {0, 0, 0, 0}), std::vector<Integer>(threads, 1));
    EXPECT_FALSE(has_conditions_on_values(Program{}));
}

TEST(ConditionsOnValues, CountAsZero) {
    const auto stores = [](const Program& program) { return count_traffic(program, {})[1].stored; };
    EXPECT_EQ(stores(chosen(Relation::zero, 0)), threads * 8);
    Builder b("nothing");
    b.launch({.threads = {threads, 1, 1}});
    const Buffer choice = b.input("choice", DataType::int64, 1);
    const Buffer y = b.output("y", DataType::int64, threads);
    const Value value = b.load(choice, 0);
    b.if_then({{-1, Relation::nonnegative, value}}, [&] { b.store(y, b.thread(), value); });
    EXPECT_EQ(stores(b.finish()), 0);
}

/// What is wrong after a change of the one condition.
template <class Change> std::string mismatch_after(Change&& change) {
    Program program = chosen(Relation::zero, 0);
    for_each_condition(program, [&](Condition& condition) { change(program, condition); });
    return error_of<InternalError>([&] { verify(program, VerificationLevel::vectorized); });
}

TEST(ConditionsOnValues, AreOnIntegersInScopeInKernelsOfGpus) {
    EXPECT_EQ(mismatch_after([](Program&, Condition&) {}), "");
    const auto contains = [](const std::string& text, const char* what) {
        EXPECT_NE(text.find(what), std::string::npos) << text;
    };
    contains(mismatch_after([](Program&, Condition& condition) { condition.value = 99; }), "operation 99 of");
    contains(mismatch_after([](Program&, Condition& condition) { condition.value = 1; }),
             "not defined before it in scope");
    contains(mismatch_after([](Program& program, Condition&) { program.launch = Launch{}; }),
             "which CPU kernels cannot have");
    Builder b("of a real");
    b.launch({.threads = {threads, 1, 1}});
    const Buffer x = b.input("x", DataType::float32, 1);
    const Buffer y = b.output("y", DataType::float32, threads);
    const Value value = b.load(x, 0);
    b.if_then({{0, Relation::zero, value}}, [&] { b.store(y, b.thread(), value); });
    contains(error_of<InternalError>([&] { verify(b.finish(), VerificationLevel::vectorized); }),
             "float32 and no int64");
}

/// Data do not say that an index is smaller, as variables may.
TEST(ConditionsOnValues, LetBoundsBeChecked) {
    Builder b("beyond");
    b.launch({.threads = {threads, 1, 1}});
    const Buffer choice = b.input("choice", DataType::int64, 1);
    const Buffer y = b.output("y", DataType::int64, threads);
    const Value value = b.load(choice, 0);
    b.if_then({{0, Relation::zero, value}}, [&] { b.store(y, b.thread() + 1, value); });
    const std::string why =
        error_of<InternalError>([&] { verify(b.finish(), VerificationLevel::vectorized); });
    EXPECT_NE(why.find("reaches elements 1 to 4"), std::string::npos) << why;
}

} // namespace conditions_on_values_test
} // namespace swirl::ir::test
