#include "target/nvidia/tensor_cores.hpp"

#include "base/error.hpp"
#include "ir/type_rules.hpp"

#include <cmath>

namespace swirl::target {

namespace {

using ir::Lanes;

constexpr int warp = 32;
constexpr int row_spacing = 8;    ///< between a thread's rows of A and C
constexpr int column_spacing = 4; ///< between a thread's columns of A, and rows of B

/// The lane that holds an element, in the concatenated fragments of all threads.
struct Fragments {
    MmaShape shape;

    int row_groups() const { return shape.rows / row_spacing; }
    int k_groups() const { return shape.k / column_spacing; }

    std::size_t of_a(int i, int k) const {
        const int thread = i % row_spacing * 4 + k % column_spacing;
        return at(thread, row_groups() * k_groups(), i / row_spacing + row_groups() * (k / column_spacing));
    }
    std::size_t of_b(int k, int j) const {
        return at(j * 4 + k % column_spacing, k_groups(), k / column_spacing);
    }
    std::size_t of_c(int i, int j) const {
        return at(i % row_spacing * 4 + j / 2, 2 * row_groups(), 2 * (i / row_spacing) + j % 2);
    }

private:
    static std::size_t at(int thread, int lanes, int lane) {
        return static_cast<std::size_t>(thread * lanes + lane);
    }
};

/// The same for half precision.
struct ShortFragments {
    static constexpr MmaShape shape{16, 8, 16};
    static std::size_t of_a(int i, int k) {
        return 8 * thread(i % 8, k) + component(k) + 2 * at(i / 8) + 4 * at(k / 8);
    }
    static std::size_t of_b(int k, int j) { return 4 * thread(j, k) + component(k) + 2 * at(k / 8); }

private:
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    static std::size_t thread(int g, int k) { return at(g * 4 + k % 8 / 2); }
    static std::size_t component(int k) { return at(k % 2); }
};

Lanes multiply_add_short(std::span<const Lanes> operands) {
    constexpr MmaShape shape = ShortFragments::shape;
    const Fragments sums{shape};
    Lanes result = operands[2];
    for (int i = 0; i < shape.rows; ++i)
        for (int j = 0; j < shape.columns; ++j) {
            long double& sum = result[sums.of_c(i, j)];
            for (int k = 0; k < shape.k; ++k)
                sum += operands[0][ShortFragments::of_a(i, k)] * operands[1][ShortFragments::of_b(k, j)];
            sum = static_cast<float>(sum);
        }
    return result;
}

ir::Instruction of_short(DataType operand_type, std::string_view name, std::string_view text) {
    constexpr MmaShape shape = ShortFragments::shape;
    constexpr unsigned capability = 80;
    const ir::Type sums{DataType::float32, 4};
    return {.name = name,
            .operands = {{operand_type, 8}, {operand_type, 4}, sums},
            .result = sums,
            .meaning = multiply_add_short,
            .threads = warp,
            .flops = 2 * shape.rows * shape.columns * shape.k / warp,
            .encoding = capability,
            .text = text};
}

Lanes multiply_add(const MmaShape& shape, std::span<const Lanes> operands) {
    const Fragments fragments{shape};
    Lanes result = operands[2];
    for (int i = 0; i < shape.rows; ++i)
        for (int j = 0; j < shape.columns; ++j) {
            auto sum = static_cast<double>(result[fragments.of_c(i, j)]);
            for (int k = 0; k < shape.k; ++k)
                sum = std::fma(static_cast<double>(operands[0][fragments.of_a(i, k)]),
                               static_cast<double>(operands[1][fragments.of_b(k, j)]), sum);
            result[fragments.of_c(i, j)] = sum;
        }
    return result;
}

ir::Instruction of_float64(std::string_view name, std::string_view text, unsigned capability,
                           const MmaShape& shape) {
    const Fragments fragments{shape};
    const ir::Type sums{DataType::float64, 2 * fragments.row_groups()};
    return {.name = name,
            .operands = {{DataType::float64, fragments.row_groups() * fragments.k_groups()},
                         {DataType::float64, fragments.k_groups()},
                         sums},
            .result = sums,
            .meaning = [shape](std::span<const Lanes> operands) { return multiply_add(shape, operands); },
            .threads = warp,
            .flops = 2 * shape.rows * shape.columns * shape.k / warp,
            .encoding = capability,
            .text = text};
}

} // namespace

const ir::Instruction& mma_float64(const MmaShape& shape) {
    static const struct {
        MmaShape shape;
        ir::Instruction instruction;
    } entries[] = {
        {{8, 8, 4},
         of_float64("warp_product_8x8x4_f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 80,
                    {8, 8, 4})},
        {{16, 8, 4},
         of_float64("warp_product_16x8x4_f64", "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 90,
                    {16, 8, 4})},
        {{16, 8, 8},
         of_float64("warp_product_16x8x8_f64", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 90,
                    {16, 8, 8})},
        {{16, 8, 16},
         of_float64("warp_product_16x8x16_f64", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 90,
                    {16, 8, 16})},
    };
    for (const auto& entry : entries)
        if (entry.shape == shape) return entry.instruction;
    throw InternalError("no instruction multiplies {} x {} x {} of float64", shape.rows, shape.columns,
                        shape.k);
}

const ir::Instruction& mma_half_precision(DataType operand_type) {
    static const ir::Instruction of_bfloat16 =
        of_short(DataType::bfloat16, "warp_product_16x8x16_bf16",
                 "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
    static const ir::Instruction of_float16 = of_short(DataType::float16, "warp_product_16x8x16_f16",
                                                       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    if (operand_type == DataType::bfloat16) return of_bfloat16;
    if (operand_type == DataType::float16) return of_float16;
    throw InternalError("no instruction of a warp multiplies {} with sums of float32", name_of(operand_type));
}

} // namespace swirl::target
