#include "passes/strength_reduce_addresses.hpp"

#include "ir/verify.hpp"
#include "passes/support.hpp"

namespace swirl::passes {
namespace strength_reduce_addresses_test {

using namespace ir;

Program reduced(const Program& before) {
    const Program after = strength_reduce_addresses(before);
    verify(after, VerificationLevel::legalized);
    for_each_operation(after, [&](Value v) {
        const auto& terms = after[v].address.index.terms();
        EXPECT_LE(terms.size(), 1U);
        for (const Affine::Term& term : terms) EXPECT_EQ(term.coefficient, 1);
    });
    return after;
}

std::vector<std::size_t> inductions_by_loop(const Program& program) {
    std::vector<std::size_t> counts;
    for_each_loop(program, [&](const For& loop) { counts.push_back(loop.inductions.size()); });
    return counts;
}

TEST(StrengthReduceAddresses, SharesOneInductionAmongEqualVariableParts) {
    Builder b("nest");
    const Buffer in = b.input("in", DataType::float64, 128), out = b.output("out", DataType::float64, 128);
    b.for_loop("i", 4, [&](const Affine& i) {
        b.for_loop("j", 1, 8, 3, For::Kind::serial, [&](const Affine& j) {
            for (Integer c = 0; c < 3; ++c)
                b.store(out, 16 * i + 2 * j + c - 2, b.load(in, 16 * i + 2 * j + c - 1));
            b.store(out, 16 * i + 1, b.load(in, 16 * i + 3)); // depends on i only
            b.store(out, j + 100, b.load(in, j));             // is reduced as it is
        });
    });
    const Program before = b.finish();
    const Program after = reduced(before);
    EXPECT_EQ(inductions_by_loop(after), (std::vector<std::size_t>{1, 1}));
    expect_same_results(before, after);
}

TEST(StrengthReduceAddresses, TakesInductionsInsideConditionsAndOfInductions) {
    Builder b("conditions");
    const Buffer out = b.output("out", DataType::float64, 128);
    b.for_loop("i", 4, [&](const Affine& i) {
        const Affine p = b.induction("p", 5, 3);
        b.if_then(
            {{i - 2, Condition::Relation::nonnegative}}, [&] { b.store(out, 2 * p + i, b.constant(f64, 1)); },
            [&] { b.store(out, p, b.constant(f64, 2)); });
    });
    const Program before = b.finish();
    expect_same_results(before, reduced(before));
}

TEST(StrengthReduceAddresses, KeepsLastValuesOfInductions) {
    Builder b("last");
    const Buffer out = b.output("out", DataType::float64, 512);
    b.for_loop("o", 3, [&](const Affine& o) {
        b.for_loop("i", 6, [&](const Affine& i) {
            const Affine at = b.induction("at", 4 + o, 4, {14, -4});
            b.store(out, 2 * at + 3 * i, b.constant(f64, 1));
            b.store(out, 128 + 5 * at + 100 * o, b.constant(f64, 2));
            b.store(out, 480 + 5 * i, b.constant(f64, 3));
        });
    });
    const Program before = b.finish();
    expect_same_results(before, reduced(before));
}

TEST(StrengthReduceAddresses, ParametersGoToTheOutermostLoop) {
    for (const bool loop : {false, true}) {
        Builder b("parameters");
        const Buffer out = b.output("out", DataType::float64, 64);
        const Affine n = b.parameter("n"), m = b.parameter("m");
        const auto store = [&] { b.store(out, 4 * n + m + 1, b.constant(f64, 1)); };
        if (loop)
            b.for_loop("i", 2, [&](const Affine& i) {
                store();
                b.store(out, 4 * n + 2 * i, b.constant(f64, 3));
            });
        else
            store();
        const Program before = b.finish();
        const Program after = reduced(before);
        for (const Program* program : {&before, &after}) {
            Arguments arguments(*program);
            arguments.parameters = {7, 5};
            interpret(*program, arguments);
            EXPECT_EQ(arguments["out"][34], 1);
            if (loop) {
                EXPECT_EQ(arguments["out"][30], 3);
            }
        }
    }
}

} // namespace strength_reduce_addresses_test
} // namespace swirl::passes
