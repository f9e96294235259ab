// Transforms of real data through the C++ interface, against their definitions.

#include <swirl/swirl.hpp>

#include "api/expectation.hpp"
#include "api/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace real_test {

using definition::Expectation;
using definition::expectation_for;
using definition::LongComplex;
using definition::pairs;
using definition::Places;
using definition::points_of;
using swirl::Integer;

// ---- running ------------------------------------------------------------------------------------------------

template <class T> void expect_right(const std::string& text) {
    const swirl::Transform problem = swirl::problem(text);
    const Places input(problem, true), output(problem, false);
    const Expectation expected = expectation_for(problem);
    const swirl::Plan plan = swirl::plan(problem);

    constexpr T untouched = 123;
    std::vector<T> in(input.scalars(), untouched), out(output.scalars(), untouched);
    const bool is_in_place = problem.placement == swirl::Placement::in_place;
    if (is_in_place) in.resize(std::max(in.size(), out.size()), untouched);
    input.write(in, expected.input);
    const std::vector<T> before = in;
    definition::execute(plan, input, in.data(), output, is_in_place ? in.data() : out.data());

    const std::vector<T>& result = is_in_place ? in : out;
    const long double unit = std::numeric_limits<T>::epsilon() *
                             std::sqrt(std::log2(static_cast<long double>(points_of(problem)) + 2));
    EXPECT_LT(definition::relative_error(output.read(result), expected.output), 2 * unit) << text;
    if (is_in_place) return;
    EXPECT_EQ(in, before) << text << ": the input was written to";
    std::vector<T> gaps = out;
    output.write(gaps, std::vector<LongComplex>(expected.output.size(), {untouched, untouched}));
    EXPECT_EQ(gaps, std::vector<T>(out.size(), untouched)) << text << ": written between the elements";
}

void expect_right(const std::string& text) {
    expect_right<double>(text);
    expect_right<float>(text + " float32");
}

void expect_right_everywhere(const std::string& text) {
    expect_right(text);
    expect_right(text + " inplace");
}

TEST(RealDft, EqualsTheComplexOneForEverySmallSize) {
    for (int n = 1; n <= 32; ++n) expect_right_everywhere("rdft " + std::to_string(n));
}

TEST(RealDft, UndoesTheComplexOneForEverySmallSize) {
    for (int n = 1; n <= 32; ++n) expect_right_everywhere("rdft " + std::to_string(n) + " backward");
}

TEST(RealDft, TakesEvenOddAndPrimeSizes) {
    for (const char* n : {"64", "100", "105", "97", "256", "360", "211"})
        for (const char* options : {"", " backward"})
            expect_right_everywhere(std::string("rdft ") + n + options);
}

TEST(RealDft, TransformsSeveralDimensions) {
    for (const char* lengths : {"8x8", "5x6", "6x5", "7x1", "1x12", "16x20", "3x4x5"})
        for (const char* options : {"", " backward"})
            expect_right_everywhere(std::string("rdft ") + lengths + options);
}

TEST(RealDft, FollowsStridesBatchesAndScale) {
    for (const char* text :
         {"rdft 16 batch=5", "rdft 15 batch=3", "rdft 6x10 batch=4", "rdft 12 scale=0.25 batch=2x3"})
        for (const char* options : {"", " backward"}) expect_right_everywhere(std::string(text) + options);
    for (const char* text : {"rdft 30 in=3 out=2", "rdft 16 batch=4:(20,11)", "rdft 9 in=4 out=4 batch=4:1"})
        expect_right(text);
    expect_right("rdft 64 backward scale=1/64 batch=3");
    expect_right("rdft 30 backward in=2 out=3 batch=2:(40,100)");
}

TEST(CosineAndSineTransforms, EqualTheirDefinitions) {
    for (const char* kind : {"dct2", "dct3", "dct4", "dct5", "dct6", "dct7", "dct8", "dst1", "dst2", "dst3",
                             "dst4", "dst5", "dst6", "dst7", "dst8", "dht", "r2hc", "hc2r"})
        expect_right_everywhere(std::string(kind) + " 1");
    for (const char* kind : {"dct1", "dct2", "dct3", "dct4", "dct5", "dct6", "dct7", "dct8", "dst1", "dst2",
                             "dst3", "dst4", "dst5", "dst6", "dst7", "dst8", "dht", "r2hc", "hc2r"})
        for (const char* n : {"2", "3", "4", "5", "8", "15", "16", "31", "36", "64", "97", "100", "120"})
            expect_right_everywhere(std::string(kind) + " " + n);
}

TEST(CosineAndSineTransforms, FollowDimensionsStridesAndBatches) {
    for (const char* kind : {"dct1", "dct2", "dct3", "dct4", "dct5", "dct6", "dct7", "dct8", "dst1", "dst2",
                             "dst3", "dst4", "dst5", "dst6", "dst7", "dst8", "dht", "r2hc", "hc2r"}) {
        for (const char* rest : {"8x8", "5x12", "3x4x5", "16 batch=6 scale=0.5", "21 batch=2x3"})
            expect_right_everywhere(std::string(kind) + " " + rest);
        expect_right(std::string(kind) + " 20 in=3 out=2 batch=2:(70,1)");
    }
}

TEST(MixedTransforms, EqualTheirDefinitions) {
    for (const char* text :
         {"dct2,dst3 8x9", "dht,dct1 5x12", "r2hc,hc2r 16x15", "wht,dst1,dct4 4x5x6 scale=0.5",
          "wht_sequency,dct5,wht_dyadic 4x5x8", "r2hc,dct3,dht 3x1x20 batch=2", "dst4,dst1 1x1 batch=3",
          "dct1,dst2,dct2,r2hc 2x3x4x5 batch=2x2", "dct5,dst6,dct7 3x4x5 batch=2", "dst8,dct8 1x1",
          "dst5,dct6,dst7 1x6x1 scale=2"})
        expect_right_everywhere(text);
    expect_right("dht,dct2 6x10 in=(20,2) out=(1,6)");
}

TEST(WalshHadamardTransform, EqualsItsDefinition) {
    for (const char* rest : {"1", "2", "4", "8", "32", "256", "4x8", "2x4x8", "16 batch=5", "8 scale=1/8",
                             "16 strides=3 batch=2:50"})
        for (const char* kind : {"wht ", "wht_dyadic ", "wht_sequency "})
            expect_right_everywhere(std::string(kind) + rest);
}

TEST(WalshHadamardTransform, RowsInSequencyOrderChangeTheirSignAsOftenAsTheirIndexSays) {
    constexpr std::size_t n = 64;
    const swirl::Plan plan = swirl::plan("wht_sequency 64");
    for (std::size_t k = 0; k < n; ++k) {
        std::vector<double> impulse(n), row(n); // the matrix is symmetric
        impulse[k] = 1;
        plan.execute(impulse.data(), row.data());
        std::size_t changes = 0;
        for (std::size_t j = 1; j < n; ++j) changes += row[j] != row[j - 1] ? 1 : 0;
        EXPECT_EQ(changes, k);
    }
}

TEST(RealDft, MakesPlanarSpectraToo) {
    for (const char* lengths : {"1", "16", "45", "97", "6x10"}) {
        const std::string text = std::string("rdft ") + lengths;
        const swirl::Transform problem = swirl::problem(text);
        const Expectation expected = expectation_for(problem);
        std::vector<double> in(expected.input.size()), out(in.size()), real(expected.output.size()),
            imaginary(real.size());
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(expected.input[i].real());

        swirl::plan(text + " planar").execute(in.data(), real.data(), imaginary.data());
        std::vector<LongComplex> spectrum;
        for (std::size_t k = 0; k < real.size(); ++k) spectrum.push_back({real[k], imaginary[k]});
        EXPECT_LT(definition::relative_error(spectrum, expected.output), 2e-15) << text;

        const double* const from_real = real.data();
        swirl::plan(text + " planar backward scale=1/" + std::to_string(in.size()))
            .execute(from_real, imaginary.data(), out.data());
        EXPECT_LT(definition::relative_error({out.begin(), out.end()}, expected.input), 2e-15) << text;
    }
}

// ---- arguments ----------------------------------------------------------------------------------------------

/// The complaint about a call that must be refused before it writes to `memory`.
template <class F> std::string complaint(const std::vector<double>& memory, F&& call) {
    const std::vector<double> before = memory;
    try {
        call();
    } catch (const swirl::UserError& error) {
        EXPECT_EQ(memory, before) << "written before the error";
        return error.what();
    }
    return "no error";
}

#define EXPECT_MENTIONS(message, words) EXPECT_NE((message).find(words), std::string::npos) << (message)

class RealArguments : public testing::Test {
protected:
    template <class In, class Out> std::string refused(const swirl::Plan& plan, In* in, Out* out) {
        return complaint(memory, [&] { plan.execute(in, out); });
    }

    std::vector<double> memory = std::vector<double>(64, 1.0);
    double* const first = memory.data();
    double* const second = memory.data() + 32;
    double* const nowhere = nullptr;
};

TEST_F(RealArguments, ThatAreNullAreNamed) {
    const swirl::Plan forward = swirl::plan("rdft 8"), backward = swirl::plan("rdft 8 backward");
    EXPECT_MENTIONS(refused(forward, nowhere, pairs(second)), "input");
    EXPECT_MENTIONS(refused(forward, first, pairs(nowhere)), "output");
    EXPECT_MENTIONS(refused(backward, pairs(nowhere), second), "input");
    EXPECT_MENTIONS(refused(backward, pairs(first), nowhere), "output");
    for (const char* kind : {"dct2 8", "dct3 8", "dct4 8", "dst2 8", "dst3 8", "dst4 8", "wht 8"}) {
        EXPECT_MENTIONS(refused(swirl::plan(kind), nowhere, second), "input");
        EXPECT_MENTIONS(refused(swirl::plan(kind), first, nowhere), "output");
    }
    const swirl::Plan planar = swirl::plan("rdft 8 planar");
    EXPECT_MENTIONS(complaint(memory, [&] { planar.execute(first, second, nowhere); }), "imaginary output");
}

TEST_F(RealArguments, ThatOverlapAreRefused) {
    const swirl::Plan forward = swirl::plan("rdft 8"), backward = swirl::plan("rdft 8 backward");
    EXPECT_MENTIONS(refused(forward, first, pairs(first)), "overlap");
    EXPECT_MENTIONS(refused(forward, first + 9, pairs(first)), "overlap"); // the spectrum has 10 scalars
    EXPECT_EQ(refused(forward, first + 10, pairs(first)), "no error");
    EXPECT_MENTIONS(refused(forward, first, pairs(first + 7)), "overlap");
    EXPECT_MENTIONS(refused(backward, pairs(first), first), "overlap");
    EXPECT_MENTIONS(refused(backward, pairs(first), first + 9), "overlap");
    EXPECT_EQ(refused(backward, pairs(first), first + 10), "no error");
    for (const char* kind : {"dct2 8", "dst3 8", "wht 8"}) {
        EXPECT_MENTIONS(refused(swirl::plan(kind), first, first), "overlap");
        EXPECT_MENTIONS(refused(swirl::plan(kind), first + 7, first), "overlap");
        EXPECT_EQ(refused(swirl::plan(kind), first + 8, first), "no error");
    }
    const swirl::Plan planar = swirl::plan("rdft 8 planar");
    EXPECT_MENTIONS(complaint(memory, [&] { planar.execute(first, second, second + 4); }), "overlap");
}

TEST_F(RealArguments, RejectDistinctPointersInPlace) {
    EXPECT_NE(refused(swirl::plan("rdft 8 inplace"), first, pairs(second)), "no error");
    EXPECT_NE(refused(swirl::plan("rdft 8 backward inplace"), pairs(first), second), "no error");
    for (const char* text : {"dct2 8 inplace", "dst4 8 inplace", "wht 8 inplace"})
        EXPECT_NE(refused(swirl::plan(text), first, second), "no error") << text;
}

TEST_F(RealArguments, OfAnotherTypeAreNamed) {
    const swirl::Plan forward = swirl::plan("rdft 8");
    EXPECT_MENTIONS(refused(forward, pairs(first), pairs(second)),
                    "input is an array of std::complex<double>");
    EXPECT_MENTIONS(refused(forward, first, second), "output is an array of double");
    EXPECT_MENTIONS(refused(swirl::plan("rdft 8 backward"), first, pairs(second)),
                    "input is an array of double");
    EXPECT_MENTIONS(refused(swirl::plan("dct2 8"), pairs(first), pairs(second)), "it takes double");
    const swirl::Plan single = swirl::plan("wht 8 float32");
    EXPECT_MENTIONS(refused(single, first, second), "it takes float");
    const double* const constant = second;
    EXPECT_MENTIONS(complaint(memory, [&] { swirl::plan("rdft 8 planar").execute(first, constant, second); }),
                    "const double");
}

TEST_F(RealArguments, ThatAreMisalignedAreRefused) {
    auto* const crooked = reinterpret_cast<double*>(reinterpret_cast<std::uintptr_t>(second) + 4);
    EXPECT_MENTIONS(refused(swirl::plan("rdft 8"), first, pairs(crooked)), "output");
    EXPECT_MENTIONS(refused(swirl::plan("dct4 8"), crooked, first), "input");
}

} // namespace real_test
