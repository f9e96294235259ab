// Formulas as problems: plans of the estimate, against the formula's dense matrix.
#include "plan/transform/cpu/plan.hpp"
#include "api/stft_matrices.hpp"
#include "formula/formula.hpp"
#include "formula/print.hpp"
#include "plan/check/problem_data.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"
#include "support/random_formula.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {
namespace formula_plan_test {

using formula::Formula;

/// ‖y − M·x‖ / ‖M·x‖ over all transforms of the batch, y as the data holds it.
double error_of(const Transform& problem, const std::vector<std::complex<double>>& input,
                const planning::ProblemData& data) {
    const Formula& given = problem.matrix.term();
    long double difference = 0, norm = 0;
    const std::vector<Axis> loops = axes(problem, Side::output);
    const auto columns = static_cast<std::size_t>(given.columns()),
               rows = static_cast<std::size_t>(given.rows());
    std::vector<std::complex<double>> output;
    planning::for_each_index(loops, [&](const std::vector<Integer>& indices) {
        output.push_back(data.get(Side::output, planning::offset_of(loops, indices)));
    });
    for (std::size_t b = 0; b * columns < input.size(); ++b) {
        const auto from = input.begin() + static_cast<std::ptrdiff_t>(b * columns);
        const std::vector<formula::Complex> x(from, from + given.columns());
        const std::vector<formula::Complex> expected = formula::apply(given, x);
        for (std::size_t k = 0; k < rows; ++k) {
            const formula::Complex y = expected[k] * static_cast<long double>(problem.scale);
            difference += std::norm(formula::Complex(output[b * rows + k]) - y);
            norm += std::norm(y);
        }
    }
    return static_cast<double>(std::sqrt(norm > 0 ? difference / norm : difference));
}

/// Runs the plan that the estimate chooses, after its own check.
void require_right(const std::string& text, const target::Cpu& cpu) {
    const Transform problem = swirl::problem(text);
    SCOPED_TRACE(fmt::format("{} on {}", text, cpu.name));
    EXPECT_EQ(parse_transform(to_text(problem)), problem);
    const planning::Schedule schedule = estimate(problem, cpu).schedule;
    ASSERT_EQ(to_string(transform_schedule(to_string(schedule))), to_string(schedule));
    const auto plan = planning::Plan::build(problem, schedule);
    planning::ProblemData data(problem);
    data.fill_input(7, 1);
    const std::vector<Axis> loops = axes(problem, Side::input);
    std::vector<std::complex<double>> input;
    planning::for_each_index(loops, [&](const std::vector<Integer>& indices) {
        input.push_back(data.get(Side::input, planning::offset_of(loops, indices)));
    });
    plan->execute(data.arguments());
    const double epsilon = problem.precision == DataType::float32 ? 0x1p-24 : 0x1p-53;
    EXPECT_LT(error_of(problem, input, data), 40 * epsilon) << to_string(schedule);
}

void expect_right(const std::string& text, const target::Cpu& cpu) {
    EXPECT_NO_THROW(require_right(text, cpu)) << text << " on " << cpu.name;
}

/// CPUs whose code may run here.
std::vector<const target::Cpu*> runnable_cpus() {
    std::vector<const target::Cpu*> result;
    for (const target::Cpu* cpu : target::cpus())
        if (target::host_can_run(*cpu)) result.push_back(cpu);
    return result;
}

constexpr const char* complex_formulas[] = {
    "(DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)",
    "(DFT(8) ⊗ I(16)) · T(128, 16) · L(128, 8) · (I(16) ⊗ DFT(8)) · L(128, 16) · (I(8) ⊗ DFT(16))",
    "L(32, 4) · (I(8) ⊗ DFT(4)) · T(32, 8) · (DFT(8) ⊗ I(4))",
    "DFT(60)",
    "DFT(37, backward) · DFT(37)",
    "I(9)",
    "L(12, 3)",
    "J(7) · L(7, 1)",
    "T(24, 4, backward)",
    "diag(1, 2i, -3, 0.5-1i)",
    "DFT(3) ⊕ I(2) ⊕ DFT(4)",
    "L(12, 4) · (DFT(3) ⊕ DFT(4) ⊕ DFT(5)) · J(12)",
    "WHT(16) · diag(1, -1, 1, 1, 1i, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)",
    "DFT(4) ⊗ DFT(6)",
    "DFT(4, backward) ⊗ DFT(24)",
    "DFT(64, backward) ⊗ DFT(64)",
    "DFT(37) ⊗ DFT(5, backward)",
    "DFT(2) ⊗ DFT(20) ⊗ DFT(20, backward)",
    "DFT(3) ⊗ (DFT(4) · diag(1, 2, 3, 4)) ⊗ I(2)",
    "I(3) ⊗ (L(8, 4) · DFT(8))",
    "(L(8, 2) · DFT(8)) ⊗ I(5)",
    "circulant(1, 2i, 3, 4, 5)",
    "circulant(1, 2, 3) ⊗ I(4)",
    "DCT2(8)",
    "(DFT(3) ⊗ DCT2(4)) · T(12, 4)",
    "(DFT(4) · DCT4(4)) ⊗ I(3)",
    "(DFT(2) ⊕ RDFT(6)) · L(8, 4)",
    "RDFT(12, backward) · diag(1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1) · RDFT(12)",
    "DST3(9) ⊗ DCT3(4)",
    "real[DFT(6)] · L(12, 4)",
    "Σ(i0 < 4)[S(h(2 → 8; 2*i0, 1)) · F2 · G(h(2 → 8; i0, 4))]",
    // factors that differ between the iterations of a loop around straight-line code
    "(I(2) ⊗ DFT(9)) · T(18, 9)",
    "T(75, 3) · (I(3) ⊗ DFT(25))",
    // more entries after the filter than an index table before it has
    "DFT(4) ⊗ (((DFT(9) · FIR(9, zero; 1, 2, 3)) ⊕ J(3)) · perm(table(8, 3, 9, 5, 0, 11, 1, 6, 10, 2, 4, "
    "7)))",
};

constexpr const char* rectangular_formulas[] = {
    "matrix(2, 3; 1, 2, 3, 4, 5, 6i) ⊗ I(5)",
    "CZT(8, 5, 0.1, 1/7)",
    "CZT(100, 20, -0.3, 0.001)",
    "CZT(17, 60, 1/4, 1/60) ⊗ CZT(6, 9, 0, 0.1)",
    "DFT(30) · CZT(64, 30, 0.01, 0.02) · T(64, 8)",
    "CZT(300, 301, 12345.678, -0.4)",
    "DWT(37, db4, 2, symmetric)",
    "IDWT(64, cdf9/7, 3, periodic) ⊗ I(3)",
    "FIR(40, full; 1, 2i, -3)",
    "FIR(40, valid; 1, 2i, -3, 0.5, 1, 1, 2) · DFT(40)",
    "S(h(4 → 8; 1, 2)) · DFT(4)",
    "G(h(4 → 8; 0, 2)) · DFT(8)",
    "I(4) ⊗ matrix(1, 2; 1, -1)",
    "matrix(3, 1; 1, 2, 3) ⊕ DFT(4) ⊕ G(h(2 → 5; 3, -2))",
    "DCT2(4) · G(h(4 → 8; 0, 2))",
};

constexpr const char* real_formulas[] = {
    "WHT(32)",
    "DCT5(9) ⊗ DST7(5)",
    "WHT(16, sequency) ⊗ WHT(8, dyadic)",
    "MDCT(12)",
    "IMDCT(12)",
    "DWT(64, db4, 3, periodic)",
    "DWT(101, cdf9/7, 2, reflect, transposed)",
    "IDWT(101, db3, 2, symmetric)",
    "DWT(300, cdf9/7, 3, jpeg2000)",
    "IDWT(301, cdf5/3, 2, jpeg2000)",
    "DWT(24, db2, 2, periodic) ⊗ DWT(32, cdf5/3, 2, symmetric)",
    "IDWT(300, db10, 2, zero)",
    "FIR(100, zero; 0.25, 0.5, 0.25)",
    "FIR(100, reflect, transposed; 1, 2, 3, 4, 5)",
    "MDCT(64) ⊗ MDCT(4)",
    "IMDCT(16) · MDCT(16)",
    "DCT2(8) ⊗ DCT2(8)",
    "DCT3(8) · diag(1, 1, 1, 0.5, 0.5, 0.25, 0, 0) · DCT2(8)",
    "RDFT(20)",
    "RDFT(15, backward) ⊗ I(2)",
    "L(24, 4) · (DCT4(8) ⊕ DST4(16))",
    "DFT(2) ⊗ I(3) ⊗ DFT(2)",
    "circulant(1, 2, 3, 4, 5, 6)",
    "real[(DFT(4) ⊗ I(2)) · T(8, 2) · (I(4) ⊗ DFT(2)) · L(8, 4)]",
    "perm(table(2, 0, 1, 4, 3; range 5))",
    "matrix(2, 3; 1, 2, 3, 4, 5, 6)",
    // complex transforms that read some of an odd number of entries
    "RDFT(106) · DCT6(106)",
    "real[DFT(33)] · DST8(66)",
};

TEST(FormulaPlans, AreCheckedWhereConstantsNearlyOverflow) {
    for (const auto& [entry, precision] : {std::pair{"1e308", "float64"},
                                           {"1e300", "float64"},
                                           {"1e-400", "float64"},
                                           {"1e308", "complex128"},
                                           {"1e-400i", "complex128"},
                                           {"3e38", "float32"},
                                           {"1e-400", "float32"},
                                           {"3e38i", "complex64"}}) {
        const Transform problem =
            swirl::problem(fmt::format("formula diag(-3, 2, 4, {}) {}", entry, precision));
        for (const target::Cpu* cpu : {&target::portable_cpu(), &target::host_cpu()})
            EXPECT_NO_THROW(planning::Plan::build(problem, estimate(problem, *cpu).schedule))
                << entry << " " << precision;
    }
}

TEST(FormulaProblems, EqualTheirMatricesOnEveryCpu) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        for (const char* text : complex_formulas) {
            expect_right(fmt::format("formula {}", text), *cpu);
            expect_right(fmt::format("formula {} complex64 batch=5", text), *cpu);
        }
        for (const char* text : rectangular_formulas) {
            expect_right(fmt::format("formula {} batch=3", text), *cpu);
            expect_right(fmt::format("formula {} complex64", text), *cpu);
        }
        for (const char* text : real_formulas) {
            expect_right(fmt::format("formula {} float64", text), *cpu);
            expect_right(fmt::format("formula {} float32 batch=7", text), *cpu);
        }
    }
}

TEST(FormulaProblems, ComputeSpectraOfLongChirps) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const char* precision : {"", " complex64"})
            expect_right(fmt::format("formula diag(spectrum(4099)(8640); id(8640)){}", precision), *cpu);
    for (const char* text : {"formula DFT(8640) · diag(spectrum(4099)(8640); id(8640)) · DFT(8640, backward)",
                             "formula DFT(8640, backward) · diag(spectrum(4100)(8640, backward); id(8640)) · "
                             "DFT(8640) complex64"})
        expect_right(text, target::host_cpu());
    for (const char* text :
         {"formula DFT(8640) · diag(spectrum(4099)(8640); id(8640)) · DFT(8640, backward) complex64",
          "formula diag(spectrum(4100)(8640, backward); id(8640)) · DFT(8640)"})
        support::prove(text, gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")));
}

TEST(FormulaProblems, ComputeSpectraAtFrequenciesOfAnyDistance) {
    const target::Cpu& cpu = target::host_cpu();
    for (const char* text : {"CZT(1009, 64, 0.2, 0.0001)", "CZT(64, 2000, 0, 1/2000) complex64 batch=3",
                             "CZT(3000, 3000, 1/3, 1/9001)", "CZT(60, 40, 0.1, 0.01) planar batch=4",
                             "CZT(60, 40, 0.1, 0.01) in=3 out=2 batch=2:(1,100) scale=0.5",
                             "CZT(40, 40, 0.1, 0.01) inplace batch=2"})
        expect_right(fmt::format("formula {}", text), cpu);
    for (const char* text :
         {"formula CZT(100, 20, 0.1, 0.001) batch=3", "formula CZT(7, 5, 0.1, 0.2) complex64",
          "formula CZT(500, 300, -0.1, 0.0001) complex64 planar", "formula MDCT(64) float32 in=1 batch=5:64",
          "formula IMDCT(36) float64 batch=2", "formula WHT(64, sequency) float32",
          "formula DCT7(40) float64"})
        support::prove(text, gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")));
}

TEST(FormulaProblems, FilterLongSignalsInLoops) {
    for (const char* text :
         {"DWT(10000, db4, 6, symmetric) float64", "DWT(8192, db10, 5, periodic) float32 batch=3",
          "IDWT(10001, cdf9/7, 4, symmetric) float64", "DWT(5000, haar, 3, zero) complex64 batch=2",
          "DWT(128, db4, 3, periodic) ⊗ DWT(100, db4, 2, symmetric) float32",
          "DWT(4096, db3, 2, periodic) float64 inplace", "IDWT(1000, db2, 2, reflect) planar batch=4",
          "FIR(5000, symmetric; 1, 2, 3, 4, 5, 4, 3, 2, 1) float32 in=3 out=2"})
        expect_right(fmt::format("formula {}", text), target::host_cpu());
    for (const char* text : {"formula DWT(2000, db4, 3, symmetric) float32",
                             "formula IDWT(1024, cdf9/7, 2, periodic) float64 batch=3",
                             "formula FIR(3000; 1, 2, 3, 4) complex64",
                             "formula DWT(32, db2, 2, periodic) ⊗ DWT(24, haar, 1, zero) float32"})
        support::prove(text, gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")));
}

/// The problems of a short-time Fourier transform: frames, their powers, samples beyond the ends, sums of frames.
TEST(FormulaProblems, OfShortTimeTransformsRunOnGpus) {
    const auto prove = [](const std::string& text) {
        SCOPED_TRACE(text);
        support::prove(text, gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")));
    };
    const auto windowed = Expression("x * w[i] where i >= 3 and i < 45");
    prove(to_text(Transform::real_dft(
        {48}, {.precision = DataType::float32, .batches = {{2, 300, 425}, {17, 16, 25}}, .load = windowed})));
    prove(to_text(Transform::real_dft(
        {48}, {.direction = Direction::backward, .batches = {{34, 25, 48}}, .store = windowed})));
    prove(to_text(
        Transform::real_formula("I(25) ⊗ matrix(1, 2; 1, 1)", {.precision = DataType::float32,
                                                               .batches = {{2, 850, 425}, {17, 50, 25}},
                                                               .load = Expression("x * x")})));
    for (const bool mirrored : {false, true})
        prove(fmt::format("formula {} float32 batch=2:(300,80)",
                          to_text(api::extended_range(300, -24, 80, mirrored).matrix)));
    const Formula sum = api::overlap_add({17, 48, 16, 3, 42}, 24, 300);
    prove(fmt::format("formula {} float32 batch=2:(816,300) store=\"x * weights[i]\"", to_text(sum)));
    prove(fmt::format("formula {} complex64 store=\"x * weights[i]\"", to_text(sum)));
}

TEST(FormulaProblems, SupportStridesLayoutsScalesAndPlacement) {
    const target::Cpu& cpu = target::host_cpu();
    for (const char* text :
         {"DFT(8) · diag(1, 2, 3, 4, 5, 6, 7, 8)", "L(8, 2)", "I(2) ⊗ (L(4, 2) · DFT(4))",
          "(L(4, 2) · DFT(4)) ⊗ I(2)", "J(8) · (DFT(3) ⊕ DFT(5))", "DCT2(4) ⊗ DFT(2)", "RDFT(8)",
          "S(h(4 → 8; 0, 2)) · DFT(4) · G(h(4 → 8; 4, 1))", "DFT(8)", "T(8, 2)"}) {
        expect_right(fmt::format("formula {} inplace", text), cpu);
        expect_right(fmt::format("formula {} inplace strides=3 batch=4:30 scale=0.5", text), cpu);
        expect_right(fmt::format("formula {} in=2 out=5 batch=2:(100,1)x3", text), cpu);
        expect_right(fmt::format("formula {} complex64 strides=-1 batch=2", text), cpu);
    }
    for (const char* text : {"L(8, 2) · DFT(8)", "(DFT(4) ⊗ I(2)) · T(8, 2)", "DFT(3) ⊕ DFT(5)"}) {
        expect_right(fmt::format("formula {} planar batch=3", text), cpu);
        expect_right(fmt::format("formula {} planar inplace", text), cpu);
    }
    expect_right("formula DCT2(8) ⊗ I(3) float64 inplace batch=2", cpu);
    for (const char* type :
         {"complex64", "complex128", "float64"}) // DFT(1) is no factor with a result of its own
        expect_right(fmt::format("formula (DST6(9) ⊕ J(4)) · (J(13) ⊗ DFT(1)) {} inplace", type), cpu);
}

TEST(FormulaProblems, ConvolveLongVectorsOfReals) {
    for (const Integer n : {65, 67, 96, 150}) {
        std::vector<Integer> kernel;
        for (Integer i = 0; i < n; ++i) kernel.push_back((7 * i * i + 3 * i) % 11 - 5);
        const std::string circulant = fmt::format("circulant({})", fmt::join(kernel, ", "));
        for (const target::Cpu* cpu : runnable_cpus()) {
            expect_right(fmt::format("formula {} float64", circulant), *cpu);
            expect_right(fmt::format("formula J({}) · ({} ⊕ RDFT(5)) float32 inplace", n + 5, circulant),
                         *cpu);
            expect_right(fmt::format("formula {} · RDFT({}) complex64 batch=3", circulant, n), *cpu);
        }
        const std::string text = fmt::format("formula {} float32 batch=2", circulant);
        support::prove(text, gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")));
    }
}

TEST(FormulaProblems, StoreSingleRowsThroughTables) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const char* options : {"", " complex64 inplace"})
            expect_right(
                fmt::format("formula perm(id(13)) ⊕ (perm(table(4, 6, 0, 1, 2, 7, 5, 3)) · (DST2(3) ⊕ "
                            "perm(table(3, 0, 2, 1)) ⊕ DST6(1))){}",
                            options),
                *cpu);
}

TEST(FormulaProblems, ComputeLongFormulas) {
    const target::Cpu& cpu = target::host_cpu();
    expect_right("formula (DFT(64) ⊗ I(128)) · T(8192, 128) · (I(64) ⊗ DFT(128)) · L(8192, 64)", cpu);
    expect_right("formula DFT(1024) ⊕ (WHT(64) ⊗ DFT(15))", cpu);
    expect_right("formula (DCT2(1000) ⊗ I(3)) · L(3000, 3)", cpu);
}

/// A random formula of few entries, in one case of eight of up to 200, and its problem.
std::string random_problem(std::uint32_t seed, const char* real_type, const char* complex_type) {
    std::minstd_rand generator(seed);
    const auto below = [&](Integer n) {
        return static_cast<Integer>(generator() % static_cast<std::uint32_t>(n));
    };
    const bool real = seed % 3 == 0;
    const Integer n = 1 + below(seed % 8 == 7 ? 200 : 24);
    std::string text = fmt::format("formula {} {}", formula::to_text(support::random_formula(below, n, real)),
                                   real ? real_type : complex_type);
    if (seed % 4 == 1) text += " inplace";
    if (seed % 5 == 1) text += " batch=3";
    return text;
}

TEST(FormulaProblems, EqualTheirMatricesForRandomFormulas) {
    constexpr std::uint32_t first_seed = 20261125;
    std::cout << "seeds from " << first_seed << "\n";
    const auto cpus = runnable_cpus();
    const char* const more = std::getenv("SWIRL_RANDOM_FORMULAS");
    const auto count = static_cast<std::uint32_t>(more != nullptr ? std::atoi(more) : 150);
    for (std::uint32_t seed = first_seed; seed < first_seed + count; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        expect_right(random_problem(seed, "float64", "complex128"), *cpus[seed % cpus.size()]);
    }
}

TEST(FormulaProblems, RunOnGpus) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    const auto prove = [&](const std::string& text) {
        SCOPED_TRACE(text);
        const planning::Schedule schedule = gpu_schedule(swirl::problem(text), gpu);
        EXPECT_EQ(to_string(transform_schedule(to_string(schedule))), to_string(schedule));
        support::prove(text, schedule);
    };
    for (const char* text : complex_formulas) prove(fmt::format("formula {} complex64 batch=3", text));
    for (const char* text : rectangular_formulas) prove(fmt::format("formula {} batch=2", text));
    for (const char* text : real_formulas) prove(fmt::format("formula {} float32 batch=3", text));
    prove("formula L(8, 2) · DFT(8) inplace batch=3");
    prove("formula J(8) · (DFT(3) ⊕ DFT(5)) inplace");
    prove("formula (DFT(64) ⊗ I(64)) · T(4096, 64) · (I(64) ⊗ DFT(64)) · L(4096, 64) complex64");
}

TEST(FormulaProblems, RunOnGpusForRandomFormulas) {
    constexpr std::uint32_t first_seed = 20261126;
    std::cout << "seeds from " << first_seed << "\n";
    const target::Gpu& gpu = target::gpu_named("sm_80");
    const char* const more = std::getenv("SWIRL_RANDOM_FORMULAS");
    const auto count = static_cast<std::uint32_t>(more != nullptr ? std::atoi(more) : 100);
    for (std::uint32_t seed = first_seed; seed < first_seed + count; ++seed) {
        const std::string text = random_problem(seed, "float32", "complex64");
        SCOPED_TRACE(fmt::format("seed {}: {}", seed, text));
        EXPECT_NO_THROW(support::prove(text, gpu_schedule(swirl::problem(text), gpu)));
    }
}

} // namespace formula_plan_test
} // namespace swirl::search
