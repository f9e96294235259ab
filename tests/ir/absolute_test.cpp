// Memory at absolute addresses: a program loads an address, divides it, and finds elements there.

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace swirl::ir {
namespace absolute_test {

constexpr Type i64{DataType::int64, 1};

Buffer absolute(Builder& b, Space space = Space::argument) {
    BufferInfo info;
    info.name = "x";
    if (space == Space::argument) info.role.argument = ArgumentRole::input;
    info.element = DataType::float32;
    info.space = space;
    info.elements = 4;
    info.absolute = true;
    return b.add(info);
}

/// y[block] = element 2 of the vector whose address the list has for the block.
Program third_elements(Integer blocks) {
    Builder b("third");
    const Buffer x = absolute(b), list = b.input("list", DataType::int64, blocks),
                 y = b.output("y", DataType::float32, blocks);
    b.launch({.blocks = {blocks, 1, 1}, .threads = {2, 1, 1}});
    const Affine block = b.block();
    b.if_then({{b.thread(), Condition::Relation::zero}}, [&] {
        const Value at = b.divide(b.load(list, block), b.constant(i64, 4));
        b.store(y, block, b.load(x, 2, {.dynamic = at}));
    });
    return b.finish();
}

std::string problem_of(const Program& program) {
    try {
        verify(program, VerificationLevel::vectorized);
    } catch (const InternalError& error) {
        return error.what();
    }
    return "";
}

TEST(AbsoluteAddresses, AreLoadedFromMemory) {
    const Program program = third_elements(3);
    EXPECT_EQ(problem_of(program), "");
    Arguments arguments(program);
    const auto memory = std::make_shared<Memory>(DataType::float32, 40);
    for (const Integer index : {7, 21, 34}) memory->set(index + 2, static_cast<long double>(index));
    arguments.bind("x", memory);
    arguments["list"].assign(std::vector<Integer>{34 * 4, 7 * 4, 21 * 4});
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{34, 7, 21}));
}

TEST(AbsoluteAddresses, LeadToWhatIsThere) {
    const Program program = third_elements(2);
    Arguments arguments(program);
    const auto memory = std::make_shared<Memory>(DataType::float32, 10);
    memory->set(2, 1);
    arguments.bind("x", memory);
    arguments["list"].assign(std::vector<Integer>{0, 20 * 4});
    InterpreterReport report = interpret(program, arguments, {.throw_on_diagnostic = false});
    EXPECT_NE(report.text().find("x[22]"), std::string::npos) << report.text();
    arguments["list"].assign(std::vector<Integer>{0, 4 * 4});
    report = interpret(program, arguments, {.throw_on_diagnostic = false});
    ASSERT_EQ(report.diagnostics.size(), 1U);
    EXPECT_EQ(report.diagnostics.front().kind, Diagnostic::Kind::unwritten_read) << report.text();
}

TEST(AbsoluteAddresses, AreComputedAndOfArguments) {
    Builder direct("direct");
    const Buffer x = absolute(direct), y = direct.output("y", DataType::float32, 1);
    direct.store(y, 0, direct.load(x, 2));
    EXPECT_NE(problem_of(direct.finish()).find("at no computed index"), std::string::npos);
    Builder scratch("scratch");
    absolute(scratch, Space::scratch);
    EXPECT_NE(problem_of(scratch.finish()).find("no argument in memory"), std::string::npos);
}

TEST(Division, OfIntegersIsTowardsZero) {
    Builder b("quotients");
    const Buffer x = b.input("x", DataType::int64, 4), y = b.output("y", DataType::int64, 4);
    for (Integer k = 0; k < 4; ++k) b.store(y, k, b.divide(b.load(x, k), b.constant(i64, 4)));
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(std::vector<Integer>{7, -7, 8, (Integer{1} << 62) + 5});
    interpret(program, arguments);
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{1, -1, 2, 0x1p60}));
    Builder vectors("vectors");
    const Value two = vectors.constant({DataType::int64, 2}, 4);
    EXPECT_THROW(vectors.divide(two, two), InternalError);
}

} // namespace absolute_test
} // namespace swirl::ir
