#include "plan/gemm/cpu/scaling.hpp"

#include "plan/gemm/cpu/triangle.hpp"
#include "plan/gemm/values.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

/// β·C where nothing is multiplied.
namespace swirl::planning {
namespace scaling_test {

/// Those of this machine, and none.
std::vector<const target::Cpu*> cpus_of_host() {
    std::vector<const target::Cpu*> cpus;
    for (const target::Cpu* const cpu : target::cpus())
        if (target::host_can_run(*cpu) &&
            (cpu->set == target::InstructionSet::portable || runtime::ExecutableCode::is_available()))
            cpus.push_back(cpu);
    return cpus;
}

template <class T> std::vector<T> integers(std::size_t count, std::mt19937& random) {
    std::vector<T> values(count);
    for (T& value : values) {
        const auto part = [&] { return static_cast<float>(static_cast<int>(random() % 41) - 20); };
        if constexpr (std::is_same_v<T, typename RealPart<T>::type>) {
            value = static_cast<T>(static_cast<std::int32_t>(part()));
        } else {
            value = {part(), part()};
        }
    }
    return values;
}

MatrixCode code_on(const target::Cpu& cpu, DataType type) {
    if (cpu.set == target::InstructionSet::portable) return {.cpu = &cpu, .blocks = {}, .amx = {}, .kc = {}};
    const gemm::OperandTypes types = gemm::OperandTypes::all(type);
    return code_by_blocks(types, gemm::model_schedule(types, cpu), cpu);
}

/// Scales all of C, or a triangle of it, and compares each element of memory.
template <class T>
void expect_scaled(const target::Cpu& cpu, DataType type, const MatrixProduct& product,
                   MatrixRegion::Half half, T beta, std::mt19937& random) {
    const ScalingKernels kernels(product, cpu, KernelCheck::on);
    const Integer down = (product.rows - 1) * product.c.row_stride;
    const Integer first = 5 - std::min<Integer>(down, 0);
    std::vector<T> c = integers<T>(
        static_cast<std::size_t>(10 + std::abs(down) + product.columns * product.c.column_stride), random);
    std::vector<T> expected = c;
    const MatrixRegion region{.half = half};
    for (Integer j = 0; j < product.columns; ++j)
        for (Integer i = 0; i < product.rows; ++i)
            if (region.contains(i, j)) {
                const auto at =
                    static_cast<std::size_t>(first + i * product.c.row_stride + j * product.c.column_stride);
                expected[at] = beta * c[at];
                if (beta != T(0)) continue;
                expected[at] = T(0);
                std::memset(static_cast<void*>(&c[at]), 0xff, sizeof(T)); // of floating types, NaN
            }
    if (half == MatrixRegion::Half::all) {
        scale_matrix(kernels, product, &beta, c.data() + first);
    } else {
        const T alpha = T(1);
        multiply_triangle(product, half, {&alpha, nullptr, nullptr, &beta, c.data() + first},
                          code_on(cpu, type), 1);
    }
    EXPECT_EQ(c, expected) << cpu.name << ": " << name_of(type) << " " << product.rows << " by "
                           << product.columns << ", row stride " << product.c.row_stride;
}

template <class T> void expect_scaled(DataType type) {
    std::mt19937 random(9);
    T other = T(3);
    if constexpr (!std::is_same_v<T, typename RealPart<T>::type>) other = {-2, 3};
    for (const target::Cpu* const cpu : cpus_of_host())
        for (const T beta : {T(0), T(1), other})
            for (const auto& [rows, columns] :
                 {std::pair<Integer, Integer>{1, 1}, {1, 9}, {2, 3}, {7, 4}, {40, 40}}) {
                MatrixProduct product = MatrixProduct::column_major(type, rows, columns, 0);
                for (const MatrixLayout& layout :
                     {product.c, MatrixLayout{.row_stride = 1, .column_stride = rows + 3},
                      MatrixLayout{.row_stride = 3, .column_stride = 3 * rows + 1},
                      MatrixLayout{.row_stride = -2, .column_stride = 2 * rows}}) {
                    product.c = layout;
                    expect_scaled<T>(*cpu, type, product, MatrixRegion::Half::all, beta, random);
                    if (rows != columns || layout.row_stride != 1 || type == DataType::int32) continue;
                    expect_scaled<T>(*cpu, type, product, MatrixRegion::Half::lower, beta, random);
                    expect_scaled<T>(*cpu, type, product, MatrixRegion::Half::upper, beta, random);
                }
            }
}

TEST(Scaling, MultipliesEachElementAndReadsNoneForZero) {
    expect_scaled<float>(DataType::float32);
    expect_scaled<double>(DataType::float64);
    expect_scaled<std::complex<float>>(DataType::complex64);
    expect_scaled<std::complex<double>>(DataType::complex128);
    expect_scaled<std::uint32_t>(DataType::int32);
}

} // namespace scaling_test
} // namespace swirl::planning
