#include "gemm/cpu/copy.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace copy_test {

using Source = MatrixCopy::Source;

TEST(MatrixCopy, CopiesMatricesInEveryLayout) {
    for (const DataType type :
         {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128, DataType::int32})
        for (const Source source : {Source::by_columns, Source::by_rows, Source::neither})
            for (const bool is_conjugated : {false, true})
                for (const auto& [rows, columns] :
                     {std::pair<Integer, Integer>{1, 1}, {3, 9}, {8, 8}, {13, 6}}) {
                    if (is_conjugated && !is_complex(type)) continue;
                    constexpr int lanes = 4;
                    ir::Program program = matrix_copy(
                        {.data_type = type, .source = source, .conjugated = is_conjugated, .lanes = lanes});
                    for (ir::BufferInfo& buffer : program.buffers)
                        if (buffer.space == ir::Space::argument) buffer.elements = 2000;
                    ir::verify(program, ir::VerificationLevel::vectorized);
                    ir::Arguments arguments(program);
                    std::mt19937 random(3);
                    fill(arguments["source"], random);
                    const Integer row_stride = source == Source::by_rows      ? columns + 1
                                               : source == Source::by_columns ? 1
                                                                              : 3;
                    const Integer column_stride = source == Source::by_rows ? 1 : row_stride * rows + 2;
                    arguments.parameters = {
                        rows / lanes * lanes, rows,         columns / lanes * lanes, columns,
                        row_stride,           column_stride};
                    ir::interpret(program, arguments);
                    const DataType read = type == DataType::int32 ? DataType::float32 : type;
                    for (Integer j = 0; j < columns; ++j)
                        for (Integer i = 0; i < rows; ++i) {
                            const Complex x =
                                element_at(arguments["source"], read, i * row_stride + j * column_stride);
                            EXPECT_EQ(element_at(arguments["copy"], read, i + j * rows),
                                      is_conjugated ? std::conj(x) : x)
                                << i << ", " << j << " of " << rows << " by " << columns;
                        }
                }
}

} // namespace copy_test
} // namespace swirl::gemm::test
