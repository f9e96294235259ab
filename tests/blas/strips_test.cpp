#include "blas/routines.hpp"
#include "blas/triangular_program.hpp"
#include "jit/compile.hpp"
#include "matrices.hpp"
#include "passes/pipeline.hpp"
#include "problem/data_type.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <fmt/format.h>

/// Kernels of triangular blocks on every CPU that this machine can be, and what threads make of them.
namespace swirl::test {
namespace strips_test {

using blas::StripKernel;
using blas::TriangularTask;

template <class T> class Strips : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Strips, ElementTypes);

constexpr Index most_rows = 48;

/// A lower triangle in the kernels' layout, and its meaning.
template <class T> struct Triangle {
    std::vector<Real<T>> copy;
    Dense dense;
    Triangle(Random& random, const StripKernel& kernel, Index rows)
        : copy(static_cast<std::size_t>(kernel.layout().scalars()),
               std::numeric_limits<Real<T>>::quiet_NaN()),
          dense(rows, rows) {
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j <= i; ++j) {
                const bool inverted = i == j && kernel.task == TriangularTask::solve && !kernel.divides;
                const T entry = i == j ? scalar_of<T>(0.5 + 0.1 * static_cast<double>(i % 3), 0.25)
                                       : random_value<T>(random) / scalar_of<T>(8, 0);
                const T stored = inverted ? T(1) / entry : entry;
                const auto index = static_cast<std::size_t>(kernel.layout().offset(i, j, rows));
                dense(i, j) = wide(entry);
                copy[index] = static_cast<Real<T>>(wide(stored).real());
                if constexpr (is_complex_type<T>)
                    copy[index + static_cast<std::size_t>(kernel.lanes)] = stored.imag();
            }
    }
};

template <class T> void run_strip(const StripKernel& kernel, const target::Cpu& cpu, Index whole_rows) {
    Random random(20);
    const Index rows = whole_rows + kernel.rest;
    const runtime::ExecutableCode code(jit::compile(
        passes::run_codegen_passes(strip_program(kernel, cpu), cpu), cpu, {.arguments_may_overlap = true}));
    const Triangle<T> triangle(random, kernel, rows);
    Stored<T> strip(random, !kernel.column_major, rows, kernel.columns);
    const Stored<T> before = strip;
    const T alpha = scalar_of<T>(-0.5, 0.75);
    std::vector<Real<T>> workspace(static_cast<std::size_t>(workspace_scalars(kernel)) + 16);
    void* const buffers[] = {const_cast<Real<T>*>(triangle.copy.data()), const_cast<T*>(&alpha),
                             strip.data.data(), workspace.data()};
    const std::int64_t parameters[] = {whole_rows, strip.leading};
    code(buffers, parameters);

    const auto in_order = [&](const Stored<T>& m) {
        return Dense(rows, m.columns,
                     [&](Index i, Index j) { return wide(m.at(kernel.reversed ? rows - 1 - i : i, j)); });
    };
    const Wide factor = kernel.scaled ? wide(alpha) : Wide(1);
    const bool solve = kernel.task == TriangularTask::solve;
    const Dense x = in_order(solve ? strip : before), y = in_order(solve ? before : strip);
    const Dense product_of = product(triangle.dense, x),
                bound = product(magnitudes(triangle.dense), magnitudes(x));
    const std::string what = fmt::format(
        "{}: {} of {}, {} lanes, {} columns, {} more rows, column-major {}, reversed {}, scaled {}, "
        "divides {}",
        cpu.name, solve ? "solve" : "multiply", name_of(kernel.data_type), kernel.lanes, kernel.columns,
        kernel.rest, kernel.column_major, kernel.reversed, kernel.scaled, kernel.divides);
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < strip.columns; ++j) {
            const Wide found = solve ? product_of(i, j) : y(i, j),
                       expected = solve ? factor * y(i, j) : factor * product_of(i, j);
            const long double allowed = 8 * (static_cast<long double>(rows) + 3) * epsilon<T> *
                                        (std::abs(bound(i, j)) + std::abs(expected));
            ASSERT_LE(std::abs(found - expected), allowed) << what << " (" << i << ", " << j << ")";
        }
    Stored<T> rest = strip;
    rest.fill([&](Index i, Index j) { return before.at(i, j); });
    EXPECT_EQ(std::memcmp(rest.data.data(), before.data.data(), rest.data.size() * sizeof(T)), 0)
        << what << ": wrote outside the strip";
}

TYPED_TEST(Strips, AreRightOnEveryCpu) {
    using T = TypeParam;
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "no generated code here";
    for (const target::Cpu* cpu : target::cpus()) {
        if (!target::host_can_run(*cpu) || cpu->set == target::InstructionSet::portable) continue;
        for (const TriangularTask task : {TriangularTask::multiply, TriangularTask::solve})
            for (int choices = 0; choices < 16; ++choices) {
                if (task == TriangularTask::multiply && (choices & 8) != 0) continue; // never divides
                const StripKernel kernel = blas::with_shape_for({.task = task,
                                                                 .data_type = data_type_of<T>(),
                                                                 .column_major = (choices & 1) != 0,
                                                                 .reversed = (choices & 2) != 0,
                                                                 .scaled = (choices & 4) != 0,
                                                                 .divides = (choices & 8) != 0,
                                                                 .most_rows = most_rows},
                                                                *cpu);
                for (const Index rows : {Index{kernel.lanes}, most_rows}) run_strip<T>(kernel, *cpu, rows);
                for (const int rest : {1, kernel.lanes - 1})
                    for (const int columns : {1, kernel.columns - 1, kernel.columns}) {
                        StripKernel incomplete = with_columns(kernel, columns);
                        incomplete.rest = rest;
                        for (const Index rows : {0, 2 * kernel.lanes}) run_strip<T>(incomplete, *cpu, rows);
                    }
            }
    }
}

/// Enough work that each thread has some.
TYPED_TEST(Strips, ResultsDoNotDependOnThreads) {
    using T = TypeParam;
    Random random(21);
    constexpr Index n = 150, k = 70;
    Stored<T> a(random, false, n, n);
    for (Index i = 0; i < n; ++i) a.at(i, i) += T(20);
    const Stored<T> b(random, false, n, n);
    for (const char side : {'L', 'R'})
        for (const TriangularTask task : {TriangularTask::multiply, TriangularTask::solve}) {
            const auto result = [&](int threads) {
                Stored<T> x = b;
                blas::triangular<T>(
                    task,
                    {side, 'L', 'N', 'N', n, n, T(1), a.data.data(), a.leading, x.data.data(), x.leading},
                    threads);
                return x;
            };
            const Stored<T> alone = result(1);
            for (const int threads : {2, 3, 5})
                EXPECT_EQ(std::memcmp(result(threads).data.data(), alone.data.data(),
                                      alone.data.size() * sizeof(T)),
                          0)
                    << threads;
        }
    const Stored<T> wide_b(random, false, n, 1300);
    for (const TriangularTask task : {TriangularTask::multiply, TriangularTask::solve}) {
        const auto result = [&](int threads) {
            Stored<T> x = wide_b;
            blas::triangular<T>(
                task, {'L', 'U', 'T', 'N', n, 1300, T(1), a.data.data(), a.leading, x.data.data(), x.leading},
                threads);
            blas::symm<T>({'L', 'U', n, 1300, T(1), a.data.data(), a.leading, wide_b.data.data(),
                           wide_b.leading, T(2), x.data.data(), x.leading},
                          false, threads);
            return x;
        };
        const Stored<T> alone = result(1);
        for (const int threads : {2, 3, 5})
            EXPECT_EQ(
                std::memcmp(result(threads).data.data(), alone.data.data(), alone.data.size() * sizeof(T)), 0)
                << threads;
    }
    for (const char uplo : {'L', 'U'}) {
        const auto result = [&](int threads) {
            Stored<T> c = b;
            blas::syrk<T, T>(
                {uplo, 'N', n, k, T(2), a.data.data(), a.leading, T(0.5), c.data.data(), c.leading}, threads);
            return c;
        };
        const Stored<T> alone = result(1);
        for (const int threads : {2, 3, 5})
            EXPECT_EQ(
                std::memcmp(result(threads).data.data(), alone.data.data(), alone.data.size() * sizeof(T)), 0)
                << threads;
    }
}

} // namespace strips_test
} // namespace swirl::test
