#include "blas/mirror.hpp"
#include "blas/triangle_pack.hpp"
#include "blas/triangular_program.hpp"
#include "gemm/scalar.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

/// The programs of triangular routines in the interpreter, which knows what memory is read and written. What they may not
/// read is not set.
namespace swirl::test {
namespace interpreted_test {

using blas::CopiedDiagonal;
using blas::Mirror;
using blas::StripKernel;
using blas::TrianglePack;
using blas::TriangularTask;
using Complex = std::complex<long double>;

constexpr DataType types[] = {DataType::float32, DataType::float64, DataType::complex64,
                              DataType::complex128};
constexpr Integer max_stride = 20;
constexpr int lanes = 4;

/// Random values, exact in the program's type.
class Values {
public:
    explicit Values(DataType type) : is_complex_(is_complex(type)) {}
    Complex next() { return {real(), is_complex_ ? real() : 0}; }

private:
    long double real() { return static_cast<long double>(uniform_(random_)) / 64; }

    bool is_complex_;
    std::mt19937 random_{7};
    std::uniform_int_distribution<int> uniform_{-99, 99};
};

void set(ir::Memory& memory, DataType type, Integer at, Complex value) {
    const Integer scalars = gemm::scalars_in(type);
    memory.set(scalars * at, value.real());
    if (scalars == 2) memory.set(scalars * at + 1, value.imag());
}
Complex get(const ir::Memory& memory, DataType type, Integer at) {
    if (!is_complex(type)) return memory[at];
    return {memory[2 * at], memory[2 * at + 1]};
}
bool is_written(const ir::Memory& memory, DataType type, Integer at) {
    return memory.is_written(gemm::scalars_in(type) * at);
}
long double tolerance(DataType type) {
    return gemm::scalar_of(type) == DataType::float32 ? 0x1p-17L : 0x1p-46L;
}

/// A square matrix, known in part.
using Matrix = std::vector<std::vector<Complex>>;
Matrix square(Integer rows) {
    return Matrix(static_cast<std::size_t>(rows), std::vector<Complex>(static_cast<std::size_t>(rows)));
}
Complex& at(Matrix& matrix, Integer i, Integer j) {
    return matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}

// ---- both triangles

void expect_mirrored(const Mirror& kernel, Integer whole) {
    const ir::Program program = mirror(kernel);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    const DataType type = kernel.data_type;
    const Integer rows = whole + kernel.rest, stride = rows + 2;
    Values values(type);
    Matrix matrix = square(rows);
    for (Integer j = 0; j < rows; ++j)
        for (Integer i = 0; i < rows; ++i) {
            if (kernel.upper ? i > j : i < j) continue;
            const Complex value = values.next();
            set(arguments["triangle"], type, i + j * stride, value);
            const bool is_real = kernel.hermitian && i == j;
            at(matrix, i, j) = is_real ? value.real() : value;
            at(matrix, j, i) = kernel.hermitian ? std::conj(at(matrix, i, j)) : value;
        }
    arguments.parameters = {whole, stride};
    ir::interpret(program, arguments);
    const ir::Memory& both = arguments["both"];
    for (Integer j = 0; j < rows; ++j)
        for (Integer i = 0; i < rows; ++i) {
            const Complex expected = kernel.conjugated ? std::conj(at(matrix, i, j)) : at(matrix, i, j);
            ASSERT_EQ(get(both, type, i + j * rows), expected) << i << ", " << j;
        }
    for (Integer beyond = rows * rows; beyond < kernel.most_rows * kernel.most_rows; ++beyond)
        ASSERT_FALSE(is_written(both, type, beyond)) << beyond;
}

TEST(Interpreted, MirrorReadsOneTriangleAndWritesBoth) {
    for (const DataType type : types)
        for (const bool upper : {false, true})
            for (const bool hermitian : {false, true})
                for (const bool conjugated : {false, true})
                    for (int rest = 0; rest < lanes; ++rest)
                        for (Integer whole = rest == 0 ? lanes : 0; whole <= 2 * lanes; whole += lanes)
                            expect_mirrored({.data_type = type,
                                             .upper = upper,
                                             .hermitian = hermitian,
                                             .conjugated = conjugated,
                                             .lanes = lanes,
                                             .rest = rest,
                                             .most_rows = 2 * lanes + rest,
                                             .max_stride = max_stride},
                                            whole);
}

// ---- copies of a triangle

void expect_copied(const TrianglePack& kernel, Integer whole) {
    const ir::Program program = triangle_pack(kernel);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    const DataType type = kernel.layout.data_type;
    const Integer rows = whole + kernel.rest, stride = rows + 2;
    Values values(type);
    Matrix matrix = square(rows);
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j <= i; ++j) {
            if (i == j && kernel.diagonal == CopiedDiagonal::ones) continue;
            at(matrix, i, j) = i == j ? Complex(static_cast<long double>(1 << (i % 5))) : values.next();
            const Integer row = kernel.layout.reversed ? rows - 1 - i : i,
                          column = kernel.layout.reversed ? rows - 1 - j : j;
            set(arguments["matrix"], type, kernel.row_major ? row * stride + column : row + column * stride,
                at(matrix, i, j));
        }
    arguments.parameters = {whole, stride};
    ir::interpret(program, arguments);
    const ir::Memory& triangle = arguments["triangle"];
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j <= i; ++j) {
            Complex expected = kernel.conjugated ? std::conj(at(matrix, i, j)) : at(matrix, i, j);
            if (i == j && kernel.diagonal == CopiedDiagonal::ones) expected = 1;
            if (i == j && kernel.diagonal == CopiedDiagonal::reciprocals) expected = 1.0L / expected;
            const Integer offset = kernel.layout.offset(i, j, rows);
            ASSERT_EQ(triangle[offset], expected.real()) << i << ", " << j;
            if (is_complex(type)) {
                ASSERT_EQ(triangle[offset + lanes], expected.imag()) << i << ", " << j;
            }
        }
    if (kernel.diagonal == CopiedDiagonal::reciprocals) {
        EXPECT_EQ(arguments["quality"][0], 1);
    }
}

TEST(Interpreted, TrianglePackReadsOneTriangle) {
    for (const DataType type : types)
        for (const bool row_major : {false, true})
            for (const bool reversed : {false, true})
                for (const bool conjugated : {false, true})
                    for (const CopiedDiagonal diagonal :
                         {CopiedDiagonal::elements, CopiedDiagonal::reciprocals, CopiedDiagonal::ones})
                        for (int rest = 0; rest < lanes; ++rest)
                            for (Integer whole = rest == 0 ? lanes : 0; whole <= 2 * lanes; whole += lanes)
                                expect_copied({.layout = {type, lanes, 2 * lanes + rest, reversed},
                                               .row_major = row_major,
                                               .conjugated = conjugated,
                                               .diagonal = diagonal,
                                               .rest = rest,
                                               .max_stride = max_stride},
                                              whole);
}

// ---- strips

void expect_strip(const StripKernel& kernel, const target::Cpu& cpu, Integer whole) {
    const ir::Program program = strip_program(kernel, cpu);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    const DataType type = kernel.data_type;
    const bool is_solving = kernel.task == TriangularTask::solve;
    const Integer rows = whole + kernel.rest, columns = kernel.columns;
    const Integer stride = (kernel.column_major ? rows : columns) + 2;
    Values values(type);
    Matrix triangle = square(rows);
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j <= i; ++j) {
            at(triangle, i, j) =
                i == j ? Complex(static_cast<long double>(1 << (i % 3))) : values.next() / 8.0L;
            const bool is_inverted = is_solving && i == j && !kernel.divides;
            const Complex copied = is_inverted ? 1.0L / at(triangle, i, j) : at(triangle, i, j);
            const Integer offset = kernel.layout().offset(i, j, rows);
            arguments["triangle"].set(offset, copied.real());
            if (is_complex(type)) arguments["triangle"].set(offset + kernel.lanes, copied.imag());
        }
    const Complex alpha = kernel.scaled ? values.next() : 1;
    if (kernel.scaled) set(arguments["alpha"], type, 0, alpha);
    const auto in_memory = [&](Integer i, Integer j) {
        const Integer row = kernel.reversed ? rows - 1 - i : i;
        return kernel.column_major ? row + j * stride : row * stride + j;
    };
    ir::Memory& strip = arguments["strip"];
    Matrix sides(static_cast<std::size_t>(rows), std::vector<Complex>(static_cast<std::size_t>(columns)));
    std::vector<bool> is_element(static_cast<std::size_t>(strip.elements()));
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j) {
            const Complex value = values.next();
            set(strip, type, in_memory(i, j), value);
            at(sides, i, j) = alpha * value;
            for (Integer k = 0; k < gemm::scalars_in(type); ++k)
                is_element[static_cast<std::size_t>(gemm::scalars_in(type) * in_memory(i, j) + k)] = true;
        }
    arguments.parameters = {whole, stride};
    ir::interpret(program, arguments);
    Matrix expected = sides;
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j) {
            Complex sum = is_solving ? at(sides, i, j) : at(triangle, i, i) * at(sides, i, j);
            for (Integer k = 0; k < i; ++k)
                sum += is_solving ? -at(triangle, i, k) * at(expected, k, j)
                                  : at(triangle, i, k) * at(sides, k, j);
            at(expected, i, j) = is_solving ? sum / at(triangle, i, i) : sum;
            const Complex computed = get(strip, type, in_memory(i, j));
            ASSERT_LE(std::abs(computed - at(expected, i, j)), tolerance(type) * (1 + std::abs(computed)))
                << i << ", " << j;
        }
    for (Integer scalar = 0; scalar < strip.elements(); ++scalar)
        ASSERT_EQ(strip.is_written(scalar), is_element[static_cast<std::size_t>(scalar)]) << scalar;
}

TEST(Interpreted, StripsTouchTheirElementsAlone) {
    const target::Cpu& with_fma = target::avx2_cpu();
    const target::Cpu& without = target::sse2_cpu();
    for (const DataType type : types)
        for (const TriangularTask task : {TriangularTask::solve, TriangularTask::multiply})
            for (int choices = 0; choices < 16; ++choices)
                for (const int columns : {1, 3, 4, 7, 8})
                    for (const int rest : {0, 1, 3})
                        for (const Integer whole : {Integer{0}, Integer{8}}) {
                            if (whole + rest == 0) continue;
                            const StripKernel kernel{.task = task,
                                                     .data_type = type,
                                                     .column_major = (choices & 1) != 0,
                                                     .reversed = (choices & 2) != 0,
                                                     .scaled = (choices & 4) != 0,
                                                     .divides = (choices & 8) != 0,
                                                     .lanes = lanes,
                                                     .rest = rest,
                                                     .most_rows = 8 + rest,
                                                     .max_stride = max_stride};
                            expect_strip(with_columns(kernel, columns), columns < 4 ? without : with_fma,
                                         whole);
                        }
}

} // namespace interpreted_test
} // namespace swirl::test
