#include "gemm/cpu/triangle_update.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace triangle_update_test {

bool counts(const TriangleUpdate& kernel, int i, int j) {
    return kernel.triangle == Triangle::lower ? j - i <= kernel.diagonal : i - j <= kernel.diagonal;
}

/// By the interpreter, which knows what memory is read and written.
void expect_triangle(const TriangleUpdate& kernel) {
    const ir::Program program = triangle_update(kernel);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(7);
    const DataType type = kernel.data_type;
    const bool reads_c = kernel.update != Update::overwrite, scales = kernel.update == Update::scale;
    ir::Memory& c = arguments["c"];
    if (kernel.has_tile) fill(arguments["tile"], random);
    if (scales) fill(arguments["beta"], random);
    if (reads_c) fill(c, random); // else it may not be read
    const ir::Memory before = c;
    const Integer stride = kernel.rows + 2;
    arguments.parameters = {stride};
    ir::interpret(program, arguments);
    for (int j = 0; j < kernel.columns; ++j)
        for (int i = 0; i < kernel.rows; ++i) {
            const Integer at = i + j * stride;
            const Integer scalar = scalars_in(type) * at;
            if (!counts(kernel, i, j)) {
                ASSERT_EQ(c.is_written(scalar), before.is_written(scalar)) << i << ", " << j;
                if (reads_c) {
                    EXPECT_EQ(element_at(c, type, at), element_at(before, type, at));
                }
                continue;
            }
            const Complex beta = scales ? element_at(arguments["beta"], type, 0) : 1;
            const Complex kept = reads_c ? beta * element_at(before, type, at) : 0;
            const Complex of_tile =
                kernel.has_tile ? element_at(arguments["tile"], type, i + Integer{j} * kernel.rows) : 0;
            EXPECT_LE(std::abs(element_at(c, type, at) - (of_tile + kept)), tolerance(type, 1))
                << i << ", " << j;
        }
}

TEST(TriangleUpdate, WritesOneSideOfEveryDiagonalAndReadsNoMore) {
    for (const DataType type :
         {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128})
        for (const Update update : {Update::overwrite, Update::add, Update::scale})
            for (const Triangle triangle : {Triangle::lower, Triangle::upper})
                for (const int lanes : {1, 4})
                    for (int diagonal = -6; diagonal <= 6; ++diagonal)
                        for (const bool has_tile : {true, false}) {
                            if (!has_tile && update == Update::add) continue; // which would change nothing
                            expect_triangle({.data_type = type,
                                             .lanes = lanes,
                                             .rows = 6,
                                             .columns = 5,
                                             .triangle = triangle,
                                             .diagonal = diagonal,
                                             .update = update,
                                             .has_tile = has_tile,
                                             .max_stride = 9});
                        }
}

} // namespace triangle_update_test
} // namespace swirl::gemm::test
