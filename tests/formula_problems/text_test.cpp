// The text of formulas as problems, and the errors of invalid ones.
#include "problem/problem.hpp"
#include "problem/syntax.hpp"

#include <swirl/swirl.hpp>

#include <gtest/gtest.h>

#include <string>

namespace swirl {
namespace formula_text_test {

constexpr const char* example = "(DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)";

TEST(FormulaText, HasOnePrintedFormForAllSpellings) {
    const std::string printed = std::string("formula ") + example;
    for (const char* text : {"formula (DFT(2) ⊗ I(4)) · T(8,4) · (I(2) ⊗ DFT(4)) · L(8,2)",
                             "formula (DFT(2) (x) I(4)) * T(8,4) * (I(2) (x) DFT(4)) * L(8,2)",
                             "formula (DFT(2) @ I(2^2))*T(2^3,4)*(I(2) @ DFT(4))*L(8,2) complex128",
                             "  formula   ( DFT( 2 ) ⊗ I(4) ) · T(8,4) ·\n(I(2) ⊗ DFT(4)) · L(8,2)  "})
        EXPECT_EQ(to_text(parse_transform(text)), printed) << text;
    EXPECT_EQ(to_text(parse_transform("formula DFT(3) (+) I(2)")), "formula DFT(3) ⊕ I(2)");
}

TEST(FormulaText, HasOptionsAfterTheFormula) {
    for (const char* text :
         {"formula DFT(8) ⊗ I(2)", "formula DFT(8) complex64 planar inplace batch=4",
          "formula WHT(8) float64 in=2 out=3 batch=4:(100,200)x3 scale=0.5", "formula WHT(8) float16",
          "formula DFT(3) ⊕ I(2) strides=-1", "formula matrix(2, 3; 1, 2, 3, 4, 5, 6) batch=2",
          "formula Σ(i0 < 4)[S(h(2 → 8; 2*i0, 1)) · F2 · G(h(2 → 8; i0, 4))] complex64",
          "formula DFT(8) load=\"x * w[i]\""}) {
        const Transform problem = parse_transform(text);
        EXPECT_EQ(to_text(problem), text);
        EXPECT_EQ(parse_transform(to_text(problem)), problem);
        EXPECT_NO_THROW(validate(problem)) << text;
    }
    EXPECT_EQ(to_text(parse_transform("formula WHT(8) double")), "formula WHT(8) float64");
    EXPECT_EQ(parse_transform("formula WHT(8) float32").kind, TransformKind::real_formula);
    EXPECT_EQ(parse_transform("formula WHT(8) complex64").kind, TransformKind::formula);
    EXPECT_EQ(parse_transform("formula WHT(8)").kind, TransformKind::formula);
}

TEST(FormulaText, IsThatOfTheBuilders) {
    EXPECT_EQ(parse_transform(std::string("formula ") + example), Transform::formula(example));
    EXPECT_EQ(
        parse_transform("formula DCT2(8) float32 batch=3"),
        Transform::real_formula("DCT2(8)", {.precision = DataType::float32, .batches = {{.count = 3}}}));
    const MatrixFormula matrix("G(h(4 → 8; 0, 2)) · DFT(8)");
    EXPECT_EQ(matrix.rows(), 4);
    EXPECT_EQ(matrix.columns(), 8);
    EXPECT_FALSE(matrix.is_real());
    EXPECT_TRUE(MatrixFormula("DCT2(4) ⊗ DFT(2)").is_real());
    EXPECT_TRUE(MatrixFormula().is_empty());
    EXPECT_EQ(MatrixFormula("I(2)*DFT(2)"), MatrixFormula("I(2) · DFT(2)"));
}

TEST(FormulaText, OfRectangularMatricesSetsBothLengths) {
    const Transform problem = swirl::problem("formula matrix(2, 3; 1, 2, 3, 4, 5, 6) batch=4");
    EXPECT_EQ(stored_length(problem, 0, Side::input), 3);
    EXPECT_EQ(stored_length(problem, 0, Side::output), 2);
    EXPECT_EQ(problem.batches[0].input_stride, 3);
    EXPECT_EQ(problem.batches[0].output_stride, 2);
}

struct Mistake {
    const char* text;
    const char* words;    ///< of the message
    std::size_t position; ///< in bytes; 0 for what parses and is not valid
};

TEST(FormulaErrors, SayWhatIsWrongAndWhere) {
    constexpr Mistake mistakes[] = {
        {"formula", "expected a term", 7},
        {"formula DFT(4) · DFT(8)", "product of a 4×4 and a 8×8 matrix", 8},
        {"formula DFT(4) ⊗", "expected a term", 18},
        {"formula DFT(4) DFT(8)", "operator", 15},
        {"formula DFT(4", "')'", 13},
        {"formula FFT(4)", "unknown term 'FFT'", 8},
        {"formula L(8, 3)", "must divide", 9},
        {"formula WHT(6)", "power of two", 11},
        {"formula DFT(0)", "at least 1", 12},
        {"formula I(99999999999999999999)", "64 bits", 10},
        {"formula DFT(2^40) ⊗ I(2^40)", "too large", 8},
        {"formula I(2^62) ⊕ I(2^62)", "too large", 8},
        {"formula real[DFT(2^62)]", "too large", 8},
        {"formula DFT(8) btach=4", "batch", 15},
        {"formula DFT(8) complex64 float64", "one data type", 25},
        {"formula I(1000000000000000000)", "64 bits", 0},
        {"formula DFT(4) float64", "DFT(4) has complex entries", 0},
        {"formula real[DFT(4)] · diag(1i, 1, 1, 1, 1, 1, 1, 1) float32", "diag(1i", 0},
        {"formula DFT(4) backward", "no direction", 0},
        {"formula WHT(8) float64 planar", "planar", 0},
        {"formula matrix(2, 3; 1, 2, 3, 4, 5, 6) inplace", "2 rows and 3 columns", 0},
        {"formula pass[DFT(8)]", "pass[…] says how to compute", 8},
        {"formula I(4) ⊗ tile[DFT(4)]", "the term inside tile[…] alone", 17},
        {"formula codelet[DFT(4)] ⊗ I(4)", "how to compute", 8},
        {"formula diag(argument; id(4))", "given at execution", 0},
        {"formula convolution(8)", "given at execution", 0},
        {"formula G(h(2 → 8; i0, 1))", "no sum around it", 0},
        {"formula Σ(i0 < 8)[G(h(2 → 8; i0, 1))]", "beyond its range", 0},
        {"formula S(table(2, 0, 2; range 4))", "stores entries 0 and 2 at index 2", 0},
        {"formula S(pieces(digits(3:1; base 1) | digits(2:-1; base 4); range 8))",
         "entries 2 and 4 at index 3", 0},
        {"formula Σ(i0 < 2)[S(h(2 → 4; i0, 0)) · G(h(2 → 4; i0, 1))]", "stores entries 0 and 1 at index 0",
         0},
        {"formula diag(1, 1e39) complex64", "1e+39 in diag(1, 1e+39) is beyond the largest float32", 0},
        {"formula diag(1e400, 1) complex128", "1e+400", 0},
        {"formula matrix(1, 2; 1, -1e400) float64", "beyond the largest float64", 0},
        {"formula circulant(1, 1e400i) complex128", "beyond the largest float64", 0},
        {"formula DFT(8) spectrum=each", "spectrum", 0},
    };
    for (const Mistake& mistake : mistakes) {
        try {
            validate(parse_transform(mistake.text));
            ADD_FAILURE() << mistake.text << " is accepted";
        } catch (const SyntaxError& error) {
            EXPECT_NE(std::string(error.what()).find(mistake.words), std::string::npos)
                << mistake.text << ": " << error.what();
            EXPECT_EQ(error.position(), mistake.position) << mistake.text << ": " << error.what();
        } catch (const UserError& error) {
            EXPECT_EQ(mistake.position, 0U) << mistake.text;
            EXPECT_NE(std::string(error.what()).find(mistake.words), std::string::npos)
                << mistake.text << ": " << error.what();
        }
    }
    EXPECT_THROW(
        validate(parse_transform("formula Σ(i0 < 100000)[S(h(1 → 100000; i0, 1)) · G(h(1 → 4; 0, 1))]")),
        Unsupported);
}

TEST(FormulaErrors, NameProblemsThatNoTextWrites) {
    Transform problem = Transform::formula("DFT(8)");
    problem.dimensions[0].length = 16;
    EXPECT_THROW(validate(problem), UserError);
    problem = Transform::formula("DFT(8)");
    problem.matrix = {};
    EXPECT_THROW(validate(problem), UserError);
    problem = Transform::dft({8});
    problem.matrix = MatrixFormula("DFT(8)");
    EXPECT_THROW(validate(problem), UserError);
    problem = Transform::formula("DFT(8)", {.precision = DataType::float16});
    EXPECT_THROW(validate(problem), UserError);
    EXPECT_THROW(MatrixFormula("DFT(8) )"), SyntaxError);
    EXPECT_THROW(Transform::formula("DFT(8"), SyntaxError);
    EXPECT_THROW(MatrixFormula("I(1)" + std::string(MatrixFormula::longest_text, ' ')), SyntaxError);
}

TEST(FormulaErrors, ComeBeforeMemoryIsTaken) {
    EXPECT_THROW(plan("formula I(1000000000000)"), UserError);
    EXPECT_THROW(plan("formula G(h(4 → 1000000000000; 0, 1)) · S(h(4 → 1000000000000; 0, 1))"), UserError);
    EXPECT_THROW(plan("formula DFT(2^30) ⊗ DFT(2^20)"), UserError);
}

} // namespace formula_text_test
} // namespace swirl
