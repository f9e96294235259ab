// Constant folding, signs, scale factors and FMA on small expressions.

#include "ir/verify.hpp"
#include "passes/eliminate_common_subexpressions.hpp"
#include "passes/fold_constants.hpp"
#include "passes/form_fma.hpp"
#include "passes/propagate_scale_factors.hpp"
#include "passes/propagate_signs.hpp"
#include "passes/remove_dead_code.hpp"
#include "passes/support.hpp"

#include <functional>
#include <numbers>

namespace swirl::passes {
namespace arithmetic_test {

using namespace ir;

/// A builder and some loaded values for expressions.
struct Expression : Builder {
    Expression()
        : Builder("expression"),
          in(input("in", DataType::float64, 8)),
          out(output("out", DataType::float64, 8)) {
        for (Integer i = 0; i < 8; ++i) x.push_back(load(in, i));
    }
    using Builder::constant;
    Value constant(long double c) { return constant(f64, c); }
    void result(Value value) { store(out, results++, value); }

    Buffer in, out;
    std::vector<Value> x;
    Integer results = 0;
};

using Pass = Program (*)(Program);

/// The program of `make` after the passes and without dead code; checked to compute the same.
Program after(const std::vector<Pass>& passes, const std::function<void(Expression&)>& make,
              double tolerance = 0) {
    Expression expression;
    make(expression);
    const Program before = expression.finish();
    Program program = before;
    for (const Pass pass : passes) {
        program = pass(std::move(program));
        verify(program, VerificationLevel::vectorized);
    }
    program = remove_dead_code(std::move(program));
    expect_same_results(before, program, tolerance);
    return program;
}

/// All arithmetic, by what it is called: "add subtract", in program order.
std::string arithmetic(const Program& program) {
    std::string text;
    for_each_operation(program, [&](Value v) {
        const Opcode opcode = program[v].opcode;
        if (accesses_memory(opcode) || opcode == Opcode::constant) return;
        const std::string line = to_string(program, v);
        const std::size_t begin = line.find("= ") + 2;
        text += (text.empty() ? "" : " ") + line.substr(begin, line.find(' ', begin) - begin);
    });
    return text;
}

TEST(FoldConstants, RemovesTrivialArithmetic) {
    const auto folded = [](const std::function<Value(Expression&)>& make) {
        return arithmetic(after({fold_constants}, [&](Expression& e) { e.result(make(e)); }));
    };
    EXPECT_EQ(folded([](Expression& e) { return e.add(e.x[0], e.constant(0)); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.add(e.constant(0), e.x[0]); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.x[0], e.constant(0)); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.constant(0), e.x[0]); }), "negate");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.x[0], e.x[0]); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.multiply(e.x[0], e.constant(0)); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.multiply(e.constant(1), e.x[0]); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.multiply(e.x[0], e.constant(-1)); }), "negate");
    EXPECT_EQ(folded([](Expression& e) { return e.negate(e.negate(e.x[0])); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.add(e.constant(2), e.constant(3)); }), "");
    EXPECT_EQ(
        folded([](Expression& e) { return e.multiply(e.constant(2), e.multiply(e.x[0], e.constant(3))); }),
        "multiply");
    EXPECT_EQ(folded([](Expression& e) {
                  return e.add(e.multiply(e.x[0], e.subtract(e.constant(2), e.constant(2))), e.x[1]);
              }),
              "");
}

TEST(FoldConstants, FoldsFusedOperationsOfEverySign) {
    using Fused = Value (Builder::*)(Value, Value, Value);
    for (const Fused fused : {&Builder::fma, &Builder::fms, &Builder::fnma})
        for (const long double a : {0.0L, 1.0L, -1.0L, 2.0L})
            for (const int constants : {1, 2, 3, 4, 5, 6, 7}) // bit i: operand i is a constant
                after({fold_constants}, [&](Expression& e) {
                    const auto operand = [&](int i, long double c) {
                        return constants >> i & 1 ? e.constant(c) : e.x[i];
                    };
                    e.result((e.*fused)(operand(0, a), operand(1, a), operand(2, 0)));
                    e.result((e.*fused)(operand(0, 3), operand(1, a), operand(2, a)));
                });
    EXPECT_EQ(arithmetic(after({fold_constants},
                               [](Expression& e) { e.result(e.fnma(e.constant(1), e.x[0], e.x[1])); })),
              "subtract");
}

/// Arithmetic that is left of a strict expression.
std::string strict_after(const std::vector<Pass>& passes, const std::function<Value(Expression&)>& make) {
    return arithmetic(after(passes, [&](Expression& e) {
        const Builder::StrictScope strict(e, true);
        e.result(make(e));
    }));
}

TEST(FoldConstants, StrictOperationsKeepSpecialValues) {
    const auto folded = [](const auto& make) { return strict_after({fold_constants}, make); };
    EXPECT_EQ(folded([](Expression& e) { return e.multiply(e.x[0], e.constant(0)); }), "multiply");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.x[0], e.x[0]); }), "subtract");
    EXPECT_EQ(folded([](Expression& e) { return e.divide(e.x[0], e.x[0]); }), "divide");
    EXPECT_EQ(folded([](Expression& e) { return e.divide(e.constant(0), e.x[0]); }), "divide");
    EXPECT_EQ(folded([](Expression& e) { return e.add(e.x[0], e.constant(0)); }), "add");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.constant(0), e.x[0]); }), "subtract");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.x[0], e.constant(-0.0L)); }), "subtract");
    EXPECT_EQ(folded([](Expression& e) { return e.fma(e.x[0], e.constant(0), e.x[1]); }), "fma");
    EXPECT_EQ(folded([](Expression& e) { return e.fma(e.x[0], e.x[1], e.constant(0)); }), "fma");
    EXPECT_EQ(folded([](Expression& e) {
                  return e.multiply(e.constant(0x1p-600L), e.multiply(e.constant(0x1p600L), e.x[0]));
              }),
              "multiply multiply");
}

TEST(FoldConstants, RemovesOfStrictOperationsWhatChangesNoResult) {
    const auto folded = [](const auto& make) { return strict_after({fold_constants}, make); };
    EXPECT_EQ(folded([](Expression& e) { return e.add(e.x[0], e.constant(-0.0L)); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.subtract(e.x[0], e.constant(0)); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.multiply(e.constant(1), e.x[0]); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.multiply(e.constant(-1), e.x[0]); }), "negate");
    EXPECT_EQ(folded([](Expression& e) { return e.negate(e.negate(e.x[0])); }), "");
    EXPECT_EQ(folded([](Expression& e) { return e.add(e.constant(2), e.constant(3)); }), "");
}

TEST(FoldConstants, RoundsStrictConstantsAndLeavesOverflowsToTheMachine) {
    const auto folded = [](const std::function<Value(Expression&)>& make) {
        Expression e;
        const Builder::StrictScope strict(e, true);
        e.result(make(e));
        return arithmetic(remove_dead_code(fold_constants(e.finish())));
    };
    const auto square = [](Expression& e, long double x) { return e.multiply(e.constant(x), e.constant(x)); };
    EXPECT_EQ(folded([&](Expression& e) { return square(e, 0x1p600L); }), "multiply");
    EXPECT_EQ(folded([&](Expression& e) { return e.multiply(square(e, 0x1p600L), e.constant(0x1p-600L)); }),
              "multiply multiply");
    EXPECT_EQ(folded([&](Expression& e) { return e.add(square(e, 0x1p-600L), e.x[0]); }), "add");
}

TEST(FoldConstants, FoldsWhatIsNotStrictOfStrictValues) {
    EXPECT_EQ(strict_after({fold_constants},
                           [](Expression& e) {
                               const Value own = e.multiply(e.x[0], e.constant(0));
                               const Builder::StrictScope foldable(e, false);
                               return e.multiply(own, e.constant(0));
                           }),
              "");
}

TEST(PropagateSigns, LeaveStrictSumsTheSignsOfTheirZeros) {
    const auto signs = [](const auto& make) { return strict_after({propagate_signs}, make); };
    EXPECT_EQ(signs([](Expression& e) { return e.negate(e.subtract(e.x[0], e.x[1])); }), "subtract negate");
    EXPECT_EQ(signs([](Expression& e) { return e.add(e.negate(e.x[0]), e.negate(e.x[1])); }),
              "negate subtract");
    EXPECT_EQ(signs([](Expression& e) { return e.fnma(e.x[0], e.x[1], e.negate(e.x[2])); }), "negate fnma");
    EXPECT_EQ(signs([](Expression& e) {
                  return e.multiply(e.subtract(e.x[0], e.x[1]), e.subtract(e.x[1], e.x[0]));
              }),
              "subtract subtract multiply");
    EXPECT_EQ(signs([](Expression& e) { return e.add(e.x[1], e.negate(e.x[0])); }), "subtract");
    EXPECT_EQ(signs([](Expression& e) { return e.multiply(e.negate(e.x[0]), e.negate(e.x[1])); }),
              "multiply");
}

TEST(CarryScaleFactors, MultipliesStrictProductsOutAtOnce) {
    EXPECT_EQ(strict_after({propagate_scale_factors},
                           [](Expression& e) {
                               return e.add(e.multiply(e.constant(2), e.x[0]),
                                            e.multiply(e.constant(2), e.x[1]));
                           }),
              "multiply multiply add");
}

TEST(FormFma, ContractsStrictArithmetic) {
    EXPECT_EQ(strict_after({[](Program program) { return form_fma(std::move(program)); }},
                           [](Expression& e) { return e.add(e.multiply(e.x[0], e.x[1]), e.x[2]); }),
              "fma");
}

TEST(PropagateSigns, MovesNegationsIntoSumsAndMakesConstantsPositive) {
    const auto signs = [](const std::function<Value(Expression&)>& make) {
        const Program program = after({propagate_signs}, [&](Expression& e) { e.result(make(e)); });
        for_each_operation(program, [&](Value v) {
            if (program[v].opcode == Opcode::constant) {
                EXPECT_GE(program[v].constant, 0);
            }
        });
        return arithmetic(program);
    };
    EXPECT_EQ(signs([](Expression& e) { return e.add(e.x[0], e.negate(e.x[1])); }), "subtract");
    EXPECT_EQ(signs([](Expression& e) { return e.add(e.negate(e.x[0]), e.x[1]); }), "subtract");
    EXPECT_EQ(signs([](Expression& e) { return e.subtract(e.x[0], e.negate(e.x[1])); }), "add");
    EXPECT_EQ(signs([](Expression& e) { return e.negate(e.subtract(e.x[0], e.x[1])); }), "subtract");
    EXPECT_EQ(signs([](Expression& e) { return e.add(e.multiply(e.constant(-3), e.x[0]), e.x[1]); }),
              "multiply subtract");
    EXPECT_EQ(signs([](Expression& e) {
                  return e.fma(e.negate(e.x[0]), e.x[1], e.negate(e.subtract(e.x[2], e.x[3])));
              }),
              "subtract fnma");
    EXPECT_EQ(signs([](Expression& e) { return e.negate(e.add(e.subtract(e.x[0], e.x[1]), e.x[2])); }),
              "subtract subtract");
    EXPECT_EQ(signs([](Expression& e) { return e.negate(e.x[0]); }), "negate");
    EXPECT_EQ(signs([](Expression& e) { return e.negate(e.add(e.x[0], e.x[1])); }), "add negate");
}

TEST(PropagateSigns, ComputesADifferenceAndItsNegativeOnce) {
    const Program program = after({propagate_signs}, [](Expression& e) {
        e.result(e.add(e.subtract(e.x[0], e.x[1]), e.x[2]));
        e.result(e.add(e.subtract(e.x[1], e.x[0]), e.x[3]));
    });
    EXPECT_EQ(arithmetic(program), "subtract add subtract");
}

TEST(PropagateSigns, HalvesTheConstantsThatDifferInSignOnly) {
    const Program program = after({propagate_signs, eliminate_common_subexpressions}, [](Expression& e) {
        e.result(e.add(e.multiply(e.constant(0.75L), e.x[0]), e.multiply(e.constant(-0.75L), e.x[1])));
    });
    EXPECT_EQ(count(program, Opcode::constant), 1);
    EXPECT_EQ(arithmetic(program), "multiply multiply subtract");
}

TEST(PropagateSigns, PassesThroughShufflesAndSplats) {
    Builder b("shuffles");
    const Buffer in = b.input("in", DataType::float64, 8), out = b.output("out", DataType::float64, 8);
    const Value x = b.load(in, 0, {.lanes = 4}), y = b.load(in, 4, {.lanes = 4});
    const Value swapped = b.shuffle(b.negate(x), b.negate(y), {5, 0, 6, 3});
    b.store(out, 0, b.add(swapped, b.splat(b.negate(b.load(in, 2)), 4)), {.lanes = 4});
    b.store(out, 4, b.shuffle(b.negate(x), y, {1, 4, 2, 5}), {.lanes = 4});
    const Program before = b.finish();
    const Program program = remove_dead_code(propagate_signs(before));
    expect_same_results(before, program);
    EXPECT_EQ(count(program, Opcode::negate), 2); // of the sum, and of x where half of a shuffle needs it
}

TEST(FormFma, ContractsAMultiplicationIntoAllItsUsesOrNone) {
    const auto fused = [](const std::function<void(Expression&)>& make) {
        return arithmetic(after({[](Program program) { return form_fma(std::move(program)); }}, make));
    };
    EXPECT_EQ(fused([](Expression& e) { e.result(e.add(e.multiply(e.x[0], e.x[1]), e.x[2])); }), "fma");
    EXPECT_EQ(fused([](Expression& e) { e.result(e.subtract(e.multiply(e.x[0], e.x[1]), e.x[2])); }), "fms");
    EXPECT_EQ(fused([](Expression& e) { e.result(e.subtract(e.x[2], e.multiply(e.x[0], e.x[1]))); }), "fnma");
    EXPECT_EQ(fused([](Expression& e) {
                  const Value product = e.multiply(e.x[0], e.x[1]);
                  e.result(e.add(e.x[2], product));
                  e.result(e.subtract(e.x[2], product));
              }),
              "fma fnma");
    EXPECT_EQ(fused([](Expression& e) {
                  const Value product = e.multiply(e.x[0], e.x[1]);
                  e.result(e.add(e.x[2], product));
                  e.result(product);
              }),
              "multiply add");
    EXPECT_EQ(fused([](Expression& e) {
                  const Value product = e.multiply(e.x[0], e.x[1]);
                  e.result(e.add(product, product));
              }),
              "multiply add");
    EXPECT_EQ(fused([](Expression& e) {
                  const Value first = e.multiply(e.x[0], e.x[1]);
                  const Value second = e.multiply(e.x[2], e.x[3]);
                  e.result(e.subtract(first, second));
              }),
              "multiply fms");
}

TEST(FormFma, AvoidsNegationWithoutFms) {
    const auto fused = [](const std::function<void(Expression&)>& make) {
        return arithmetic(after({[](Program program) { return form_fma(std::move(program), false); }}, make));
    };
    EXPECT_EQ(fused([](Expression& e) {
                  const Value first = e.multiply(e.x[0], e.x[1]);
                  const Value second = e.multiply(e.x[2], e.x[3]);
                  e.result(e.subtract(first, second));
              }),
              "multiply fnma");
    EXPECT_EQ(fused([](Expression& e) { e.result(e.subtract(e.multiply(e.x[0], e.x[1]), e.x[2])); }), "fms");
}

TEST(CarryScaleFactors, MakesARotationTwoOperationsWhereASumFollows) {
    const long double c = std::cos(0.3L), s = std::sin(0.3L);
    const Program program = after(
        {propagate_scale_factors},
        [&](Expression& e) {
            const Value re = e.subtract(e.multiply(e.constant(c), e.x[0]), e.multiply(e.constant(s), e.x[1]));
            const Value im = e.add(e.multiply(e.constant(c), e.x[1]), e.multiply(e.constant(s), e.x[0]));
            e.result(e.add(e.x[2], re));
            e.result(e.subtract(e.x[2], re));
            e.result(e.add(e.x[3], im));
            e.result(e.subtract(im, e.x[3]));
        },
        1e-13);
    EXPECT_EQ(arithmetic(program), "fnma fma fma fnma fma fms");
}

TEST(CarryScaleFactors, TakesTheLargerOfTwoFactorsOut) {
    const Program program = after(
        {propagate_scale_factors},
        [](Expression& e) {
            e.result(e.add(e.multiply(e.constant(0.1L), e.x[0]), e.multiply(e.constant(0.9L), e.x[1])));
            e.result(e.add(e.multiply(e.constant(0.9L), e.x[2]), e.multiply(e.constant(0.1L), e.x[3])));
        },
        1e-13);
    EXPECT_EQ(arithmetic(program), "fma multiply fma multiply");
    for_each_operation(program, [&](Value v) {
        if (program[v].opcode == Opcode::constant) {
            EXPECT_LT(program[v].constant, 1);
        }
    });
}

TEST(CarryScaleFactors, AddsEquallyScaledValuesFirst) {
    const long double half = std::numbers::sqrt2_v<long double> / 2;
    const Program program = after(
        {propagate_scale_factors},
        [&](Expression& e) {
            const Value sum =
                e.add(e.multiply(e.constant(half), e.x[0]), e.multiply(e.constant(half), e.x[1]));
            e.result(e.add(e.x[2], sum));
            e.result(e.subtract(e.x[2], sum));
        },
        1e-13);
    EXPECT_EQ(arithmetic(program), "add fma fnma");
}

TEST(CarryScaleFactors, MultipliesOncePerStoreAndInnerLoop) {
    Builder b("scales");
    const Buffer in = b.input("in", DataType::float64, 8), out = b.output("out", DataType::float64, 8);
    const Value scaled = b.multiply(b.constant(f64, 0.5L), b.load(in, 0));
    const Value other = b.multiply(b.constant(f64, 0.25L), b.load(in, 1));
    b.store(out, 0, other);
    b.store(out, 1, other);
    b.for_loop("i", 2, 6, 1, For::Kind::serial,
               [&](const Affine& i) { b.store(out, i, b.add(b.load(in, i), scaled)); });
    const Program before = b.finish();
    const Program program = remove_dead_code(propagate_scale_factors(before));
    expect_same_results(before, program);
    EXPECT_EQ(count(program, Opcode::multiply), 2);
}

TEST(RemoveDeadCode, LeavesWhatStoresNeed) {
    Builder b("dead");
    const Buffer in = b.input("in", DataType::float64, 8), out = b.output("out", DataType::float64, 8);
    const Value used = b.load(in, 0), unused = b.load(in, 1);
    b.add(used, unused);
    b.store(out, 0, b.negate(used));
    b.for_loop("i", 4, [&](const Affine& i) { b.load(in, i); });
    const Program program = remove_dead_code(b.finish());
    EXPECT_EQ(program.operations.size(), 3U);
    EXPECT_EQ(program.body.size(), 1U);
}

} // namespace arithmetic_test
} // namespace swirl::passes
