#include "fftw/definition.hpp"
#include "fftw/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

/// What the guru interfaces do not show: the other interfaces, new arrays, flags, and what FFTW answers with a null plan.
namespace swirl::test {
namespace interface_test {

template <class R> class FftwInterface : public testing::Test {
protected:
    using C = typename Precision<R>::Complex;
    static constexpr R precision = 100 * std::numeric_limits<R>::epsilon();

    /// Some numbers.
    static std::vector<R> numbers(std::size_t count, R factor = 1) {
        std::vector<R> result(count);
        for (std::size_t i = 0; i < count; ++i)
            result[i] = factor * static_cast<R>(static_cast<int>(i * 7919 % 101) - 50) / 32;
        return result;
    }
    static C* pairs(std::vector<R>& numbers) { return reinterpret_cast<C*>(numbers.data()); }

    static Numbers complex_numbers(const std::vector<R>& interleaved) {
        Numbers result;
        for (std::size_t i = 0; i < interleaved.size(); i += 2)
            result.emplace_back(interleaved[i], interleaved[i + 1]);
        return result;
    }
    static Numbers real_numbers(const std::vector<R>& numbers) { return {numbers.begin(), numbers.end()}; }

    static Numbers dft(Numbers data, Lengths lengths, int sign) {
        for (std::size_t d = 0; d < lengths.size(); ++d)
            data = multiplied(data, lengths, d, dft_matrix(lengths[d], sign));
        return data;
    }

    static void expect_near(const Numbers& found, const Numbers& expected) {
        ASSERT_EQ(found.size(), expected.size());
        long double difference = 0, size = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            difference += std::norm(found[i] - expected[i]);
            size += std::norm(expected[i]);
        }
        EXPECT_LT(std::sqrt(difference), precision * std::sqrt(size));
    }
    static void run(typename Precision<R>::Plan plan) {
        ASSERT_NE(plan, nullptr);
        SWIRL_CALL(R, execute)(plan);
        SWIRL_CALL(R, destroy_plan)(plan);
    }
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(FftwInterface, Precisions);

TYPED_TEST(FftwInterface, BasicFunctionsAreRowMajor) {
    using R = TypeParam;
    std::vector<R> x = this->numbers(2 * 3 * 4 * 5), y(x.size());
    const int n[] = {3, 4, 5};
    for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
        const Numbers expected = this->dft(this->complex_numbers(x), {3, 4, 5}, sign);
        this->run(SWIRL_CALL(R, plan_dft)(3, n, this->pairs(x), this->pairs(y), sign, FFTW_ESTIMATE));
        this->expect_near(this->complex_numbers(y), expected);
        this->run(SWIRL_CALL(R, plan_dft_3d)(3, 4, 5, this->pairs(x), this->pairs(y), sign, FFTW_ESTIMATE));
        this->expect_near(this->complex_numbers(y), expected);
        this->run(SWIRL_CALL(R, plan_dft_2d)(12, 5, this->pairs(x), this->pairs(y), sign, FFTW_ESTIMATE));
        this->expect_near(this->complex_numbers(y), this->dft(this->complex_numbers(x), {12, 5}, sign));
        this->run(SWIRL_CALL(R, plan_dft_1d)(60, this->pairs(x), this->pairs(y), sign, FFTW_ESTIMATE));
        this->expect_near(this->complex_numbers(y), this->dft(this->complex_numbers(x), {60}, sign));
    }
}

TYPED_TEST(FftwInterface, RealTransformsHaveHalfSpectraAndPaddedRowsInPlace) {
    using R = TypeParam;
    const std::vector<R> x = this->numbers(4 * 5);
    std::vector<R> input = x, spectrum(2 * 4 * 3), output(4 * 5);
    Lengths lengths = {4, 5};
    const Numbers expected = half_of(this->dft(this->real_numbers(x), lengths, -1), lengths, 1);
    this->run(SWIRL_CALL(R, plan_dft_r2c_2d)(4, 5, input.data(), this->pairs(spectrum), FFTW_ESTIMATE));
    this->expect_near(this->complex_numbers(spectrum), expected);

    this->run(SWIRL_CALL(R, plan_dft_c2r_2d)(4, 5, this->pairs(spectrum), output.data(), FFTW_ESTIMATE));
    Numbers twentyfold = this->real_numbers(x);
    for (Number& number : twentyfold) number *= 20;
    this->expect_near(this->real_numbers(output), twentyfold);

    std::vector<R> padded(4 * 6);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 5; ++k) padded[6 * i + k] = x[5 * i + k];
    const int n[] = {4, 5};
    this->run(SWIRL_CALL(R, plan_dft_r2c)(2, n, padded.data(), this->pairs(padded), FFTW_ESTIMATE));
    this->expect_near(this->complex_numbers(padded), expected);
    this->run(SWIRL_CALL(R, plan_dft_c2r)(2, n, this->pairs(padded), padded.data(), FFTW_ESTIMATE));
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 5; ++k)
            EXPECT_NEAR(padded[6 * i + k], 20 * x[5 * i + k], 20 * 2 * this->precision);
}

TYPED_TEST(FftwInterface, TheAdvancedInterfaceEmbedsArraysInLargerOnes) {
    using R = TypeParam;
    // Two 2×3 transforms with stride 2 in arrays of 4×5; the results contiguous.
    const int n[] = {2, 3}, inembed[] = {4, 5};
    std::vector<R> x = this->numbers(2 * 100), y(2 * 12);
    const auto plan = SWIRL_CALL(R, plan_many_dft)(2, n, 2, this->pairs(x), inembed, 2, 41, this->pairs(y),
                                                   nullptr, 1, 6, FFTW_FORWARD, FFTW_ESTIMATE);
    this->run(plan);
    const Numbers all = this->complex_numbers(x);
    Numbers expected;
    for (const std::size_t first : {0, 41}) {
        Numbers data;
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t k = 0; k < 3; ++k) data.push_back(all[first + 2 * (5 * i + k)]);
        const Numbers result = this->dft(data, {2, 3}, -1);
        expected.insert(expected.end(), result.begin(), result.end());
    }
    this->expect_near(this->complex_numbers(y), expected);
}

TYPED_TEST(FftwInterface, SplitArraysThatAreNeighboursAreInterleavedData) {
    using R = TypeParam;
    std::vector<R> x = this->numbers(16), y(16);
    fftw_iodim axis = {8, 2, 2};
    this->run(SWIRL_CALL(R, plan_guru_split_dft)(1, &axis, 0, nullptr, x.data(), x.data() + 1, y.data(),
                                                 y.data() + 1, FFTW_ESTIMATE));
    this->expect_near(this->complex_numbers(y), this->dft(this->complex_numbers(x), {8}, -1));
    // Exchanged, they are those of a backward transform.
    this->run(SWIRL_CALL(R, plan_guru_split_dft)(1, &axis, 0, nullptr, x.data() + 1, x.data(), y.data() + 1,
                                                 y.data(), FFTW_ESTIMATE));
    this->expect_near(this->complex_numbers(y), this->dft(this->complex_numbers(x), {8}, +1));
}

TYPED_TEST(FftwInterface, RankZeroCopiesAndTransposesInPlace) {
    using R = TypeParam;
    std::vector<R> x = this->numbers(12);
    const std::vector<R> before = x;
    const fftw_iodim loops[] = {{3, 4, 1}, {4, 1, 3}};
    this->run(SWIRL_CALL(R, plan_guru_r2r)(0, nullptr, 2, loops, x.data(), x.data(), nullptr, FFTW_ESTIMATE));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(x[3 * k + i], before[4 * i + k]);
}

TYPED_TEST(FftwInterface, NewArraysMayHaveAnyAlignment) {
    using R = TypeParam;
    std::vector<R> x = this->numbers(2 * 37), y(2 * 37), memory(4 * 37 + 8);
    const auto plan =
        SWIRL_CALL(R, plan_dft_1d)(37, this->pairs(x), this->pairs(y), FFTW_BACKWARD, FFTW_ESTIMATE);
    ASSERT_NE(plan, nullptr);
    SWIRL_CALL(R, execute)(plan);
    for (const std::size_t shift : {1, 2, 3}) {
        R *const input = memory.data() + shift, *const output = memory.data() + 2 * 37 + 2 * shift;
        std::copy(x.begin(), x.end(), input);
        SWIRL_CALL(R, execute_dft)
        (plan, reinterpret_cast<typename Precision<R>::Complex*>(input),
         reinterpret_cast<typename Precision<R>::Complex*>(output));
        EXPECT_TRUE(std::equal(y.begin(), y.end(), output)) << shift;
    }
    SWIRL_CALL(R, destroy_plan)(plan);
}

TYPED_TEST(FftwInterface, WhatCannotBePlannedIsANullPlan) {
    using R = TypeParam;
    std::vector<R> x(64), y(64);
    EXPECT_EQ(SWIRL_CALL(R, plan_dft_1d)(0, this->pairs(x), this->pairs(y), -1, FFTW_ESTIMATE), nullptr);
    EXPECT_EQ(SWIRL_CALL(R, plan_dft_1d)(-3, this->pairs(x), this->pairs(y), -1, FFTW_ESTIMATE), nullptr);
    EXPECT_EQ(SWIRL_CALL(R, plan_r2r_1d)(1, x.data(), y.data(), FFTW_REDFT00, FFTW_ESTIMATE), nullptr);
    const int n[] = {8};
    EXPECT_EQ(SWIRL_CALL(R, plan_many_dft)(1, n, -1, this->pairs(x), nullptr, 1, 8, this->pairs(y), nullptr,
                                           1, 8, -1, FFTW_ESTIMATE),
              nullptr);
    SWIRL_CALL(R, destroy_plan)(nullptr);
    const fftw_iodim64 far = {8, std::numeric_limits<std::ptrdiff_t>::max() / 2 + 1, 1},
                       crossing[] = {{3, 8, 2}, {3, 1, 1}};
    EXPECT_EQ(SWIRL_CALL(R, plan_guru64_dft)(1, &far, 0, nullptr, this->pairs(x), this->pairs(y), -1,
                                             FFTW_ESTIMATE),
              nullptr);
    EXPECT_EQ(SWIRL_CALL(R, plan_guru64_dft)(2, crossing, 0, nullptr, this->pairs(x), this->pairs(y), -1,
                                             FFTW_ESTIMATE),
              nullptr)
        << "two elements of the output share an address";
    // No transforms at all are a plan that does nothing.
    this->run(SWIRL_CALL(R, plan_many_dft)(1, n, 0, this->pairs(x), nullptr, 1, 8, this->pairs(y), nullptr, 1,
                                           8, -1, FFTW_ESTIMATE));
    EXPECT_EQ(y, std::vector<R>(64));
}

TYPED_TEST(FftwInterface, EveryFlagPlansTheSameTransform) {
    using R = TypeParam;
    std::vector<R> y(2 * 48);
    SWIRL_CALL(R, set_timelimit)(0.05);
    for (const unsigned flags :
         {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT,
          FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_UNALIGNED | FFTW_CONSERVE_MEMORY}) {
        std::vector<R> x(2 * 48);
        const auto plan = SWIRL_CALL(R, plan_dft_1d)(48, this->pairs(x), this->pairs(y), -1, flags);
        const std::vector<R> data = this->numbers(2 * 48);
        std::copy(data.begin(), data.end(), x.begin());
        this->run(plan);
        this->expect_near(this->complex_numbers(y), this->dft(this->complex_numbers(x), {48}, -1));
    }
    SWIRL_CALL(R, set_timelimit)(FFTW_NO_TIMELIMIT);
}

TYPED_TEST(FftwInterface, PlansTellWhatTheyAre) {
    using R = TypeParam;
    std::vector<R> x(64), y(64);
    const auto plan = SWIRL_CALL(R, plan_dft_1d)(32, this->pairs(x), this->pairs(y), -1, FFTW_ESTIMATE);
    ASSERT_NE(plan, nullptr);
    char* const text = SWIRL_CALL(R, sprint_plan)(plan);
    EXPECT_NE(std::strstr(text, "dft 32"), nullptr) << text;
    std::free(text);
    double add = -1, mul = -1, fma = -1;
    SWIRL_CALL(R, flops)(plan, &add, &mul, &fma);
    EXPECT_EQ(add + mul + 2 * fma, SWIRL_CALL(R, cost)(plan));
    EXPECT_GT(add, 0);
    EXPECT_GT(SWIRL_CALL(R, estimate_cost)(plan), 0);
    EXPECT_GT(SWIRL_CALL(R, cost)(plan), 0);
    SWIRL_CALL(R, destroy_plan)(plan);
    const char* const version =
        static_cast<const char*>(symbol(Precision<R>::library(), Precision<R>::name("version")));
    EXPECT_EQ(std::string(version).find("fftw-3.3.10"), 0U);
}

TYPED_TEST(FftwInterface, MemoryIsAligned) {
    using R = TypeParam;
    for (const std::size_t count : {0, 1, 100}) {
        R* const numbers = SWIRL_CALL(R, alloc_real)(count);
        auto* const pairs = SWIRL_CALL(R, alloc_complex)(count);
        void* const bytes = SWIRL_CALL(R, malloc)(count);
        ASSERT_TRUE(numbers != nullptr && pairs != nullptr && bytes != nullptr);
        EXPECT_EQ(SWIRL_CALL(R, alignment_of)(numbers), 0);
        EXPECT_EQ(SWIRL_CALL(R, alignment_of)(reinterpret_cast<R*>(pairs)), 0);
        EXPECT_EQ(SWIRL_CALL(R, alignment_of)(static_cast<R*>(bytes)), 0);
        EXPECT_NE(SWIRL_CALL(R, alignment_of)(numbers + 1), 0);
        SWIRL_CALL(R, free)(numbers);
        SWIRL_CALL(R, free)(pairs);
        SWIRL_CALL(R, free)(bytes);
    }
    EXPECT_EQ(SWIRL_CALL(R, alloc_complex)(~std::size_t{0}), nullptr);
}

TYPED_TEST(FftwInterface, FortransArraysLieByColumns) {
    using R = TypeParam;
    std::vector<R> x = this->numbers(2 * 12), y(2 * 12);
    typename Precision<R>::Plan plan = nullptr;
    const int rank = 2, n[] = {4, 3}, sign = 1, flags = FFTW_ESTIMATE; // 3 columns of 4
    const Numbers expected = this->dft(this->complex_numbers(x), {3, 4}, sign);
    call_fortran<R>("plan_dft", &plan, &rank, &n[0], x.data(), y.data(), &sign, &flags);
    ASSERT_NE(plan, nullptr);
    call_fortran<R>("execute", &plan);
    this->expect_near(this->complex_numbers(y), expected);
    call_fortran<R>("destroy_plan", &plan);

    std::fill(y.begin(), y.end(), R(0));
    call_fortran<R>("plan_dft_2d", &plan, &n[0], &n[1], x.data(), y.data(), &sign, &flags);
    ASSERT_NE(plan, nullptr);
    call_fortran<R>("execute_dft_", &plan, x.data(), y.data()); // two underscores
    this->expect_near(this->complex_numbers(y), expected);
    call_fortran<R>("destroy_plan", &plan);

    std::vector<R> real = this->numbers(12), result(12);
    const int cosine = FFTW_REDFT10, sine = FFTW_RODFT10; // along columns, along rows
    call_fortran<R>("plan_r2r_2d", &plan, &n[0], &n[1], real.data(), result.data(), &cosine, &sine, &flags);
    ASSERT_NE(plan, nullptr);
    call_fortran<R>("execute", &plan);
    call_fortran<R>("destroy_plan", &plan);
    Lengths lengths = {3, 4};
    Numbers by_definition = multiplied(this->real_numbers(real), lengths, 0, r2r_matrix(sine, 3));
    by_definition = multiplied(by_definition, lengths, 1, r2r_matrix(cosine, 4));
    this->expect_near(this->real_numbers(result), by_definition);

    // Guru: the dimensions are as given, the kinds reversed, as in FFTW.
    const int rows_first[] = {3, 4}, strides[] = {4, 1}, kinds[] = {cosine, sine}, no_loops = 0;
    std::fill(result.begin(), result.end(), R(0));
    call_fortran<R>("plan_guru_r2r", &plan, &rank, &rows_first[0], &strides[0], &strides[0], &no_loops,
                    &rows_first[0], &strides[0], &strides[0], real.data(), result.data(), &kinds[0], &flags);
    ASSERT_NE(plan, nullptr);
    call_fortran<R>("execute", &plan);
    call_fortran<R>("destroy_plan", &plan);
    this->expect_near(this->real_numbers(result), by_definition);
}

} // namespace interface_test
} // namespace swirl::test
