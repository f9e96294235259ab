#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/planner.hpp"

#include <gtest/gtest.h>

#include <fftw3.h>

#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

namespace swirl::search {
namespace matrices_test {

using Complex = std::complex<double>;

/// FFTW's transform of `batches` arrays one after the other.
std::vector<Complex> with_fftw(std::vector<Complex> x, const std::vector<int>& lengths, int batches,
                               int sign) {
    std::vector<Complex> y(x.size());
    const int distance = static_cast<int>(x.size()) / batches;
    auto* in = reinterpret_cast<fftw_complex*>(x.data());
    auto* out = reinterpret_cast<fftw_complex*>(y.data());
    const fftw_plan plan =
        fftw_plan_many_dft(static_cast<int>(lengths.size()), lengths.data(), batches, in, nullptr, 1,
                           distance, out, nullptr, 1, distance, sign, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return y;
}

struct Case {
    const char* problem;
    std::vector<int> lengths;
    int batches;
};

double relative_error(const Case& c) {
    const Transform problem = parse_transform(c.problem);
    std::size_t count = static_cast<std::size_t>(c.batches);
    for (const int length : c.lengths) count *= static_cast<std::size_t>(length);
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Complex> x(count), y(count);
    for (Complex& value : x) value = {uniform(generator), uniform(generator)};
    const auto expected = with_fftw(x, c.lengths, c.batches,
                                    problem.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD);
    const auto plan = make_plan<planning::Plan>(problem, {.use_wisdom = false});
    if (problem.placement == Placement::in_place) {
        plan->execute({.input = x.data(), .output = x.data()});
        y = x;
    } else {
        plan->execute({.input = x.data(), .output = y.data()});
    }
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < count; ++i) {
        difference += std::norm(y[i] - expected[i]);
        norm += std::norm(expected[i]);
    }
    return std::sqrt(difference / norm);
}

TEST(Matrices, BeyondTheCachesEqualFftws) {
    const Case cases[] = {
        {"dft 512x256", {512, 256}, 1},         {"dft 256x1024 backward inplace", {256, 1024}, 1},
        {"dft 300x500", {300, 500}, 1},         {"dft 1000x77 backward", {1000, 77}, 1},
        {"dft 1021x90", {1021, 90}, 1}, // a prime number of rows
        {"dft 4x30000", {4, 30000}, 1},         {"dft 3x256x512", {3, 256, 512}, 1},
        {"dft 320x256 batch=2", {320, 256}, 2},
    };
    for (const Case& c : cases) EXPECT_LT(relative_error(c), 2e-15) << c.problem;
}

TEST(Matrices, BeyondTheCachesGoInBands) {
    const auto rule = [](const char* text) {
        return estimate(parse_transform(text), target::avx512_cpu()).schedule.transform().passes[0].tree.rule;
    };
    EXPECT_EQ(rule("dft 1024x1024"), "bands");
    EXPECT_EQ(rule("dft 64x2048x1024 float32"), "bands");
    EXPECT_EQ(rule("dft 64x64"), "row-column") << "all of it fits";
    EXPECT_NE(rule("dft 1021x1024"), "bands") << "no part of a prime";
}

} // namespace matrices_test
} // namespace swirl::search
