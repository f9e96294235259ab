// Products on a real GPU of matrices that lie where lists of pointers say.

#include <swirl/half.hpp>
#include <swirl/swirl.hpp>

#include "support/first_gpu.hpp"
#include "support/gpu_schedules.hpp"

#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace matrix_lists_test {

class MatrixListsOnGpu : public support::FirstGpu {};

MatrixProduct listed(MatrixProduct product, Integer batch, int alignment = 0) {
    product.batch = batch;
    product.listed = true;
    product.list_alignment = alignment;
    return product;
}

/// Plans that are compared with the definition, by each schedule that the model likes.
void expect_plans(const MatrixProduct& product) {
    for (const std::string& schedule : swirl::gpu_schedules(product, 6))
        EXPECT_NO_THROW(swirl::plan(
            product,
            {.device = Device::gpu(), .schedule = schedule, .use_wisdom = false, .use_kernel_cache = false}))
            << schedule;
}

TEST_F(MatrixListsOnGpu, ProductsAreTheirDefinition) {
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const int alignment : {0, 16})
            for (const bool by_rows : {false, true}) {
                const MatrixProduct product = by_rows ? MatrixProduct::row_major(data_type, 100, 68, 36)
                                                      : MatrixProduct::column_major(data_type, 100, 68, 36);
                expect_plans(listed(product, 50, alignment));
            }
    expect_plans(listed(MatrixProduct::column_major(DataType::float32, 8, 8, 8), 1001, 16));
    expect_plans(listed(MatrixProduct::column_major(DataType::float32, 64, 64, 20000), 3));
    MatrixProduct narrow = listed(MatrixProduct::column_major(DataType::float32, 128, 128, 64), 20, 16);
    narrow.a_type = narrow.b_type = narrow.c_type = DataType::bfloat16;
    narrow.epilogue = Expression("max(0, x * w[b] + bias[i])");
    expect_plans(narrow);
}

/// Of small integers, whose sums are exact: at odd elements of one array, in no order, A being the same for two.
TEST_F(MatrixListsOnGpu, PointersMayBeAlignedToAnElementAlone) {
    constexpr Integer n = 37, batch = 11, stride = n * n + 1;
    const Plan plan = swirl::plan(listed(MatrixProduct::column_major(DataType::float32, n, n, n), batch),
                                  {.device = Device::gpu(), .use_wisdom = false, .use_kernel_cache = false});
    std::mt19937 random(3);
    std::uniform_int_distribution<int> uniform(-9, 9);
    std::vector<float> host(stride * batch + 1);
    for (float& value : host) value = static_cast<float>(uniform(random));
    const gpu::Array<float> a(host), b(host), c(host);
    const auto offset_of = [](Integer matrix) { return 1 + matrix * 4 % batch * stride; };
    const auto shared = [&](Integer matrix) { return offset_of(matrix == 1 ? 0 : matrix); };
    std::vector<const float*> a_places, b_places;
    std::vector<float*> c_places;
    for (Integer matrix = 0; matrix < batch; ++matrix) {
        a_places.push_back(a.data() + shared(matrix));
        b_places.push_back(b.data() + offset_of(batch - 1 - matrix));
        c_places.push_back(c.data() + offset_of(matrix));
    }
    const gpu::Array<const float*> a_list(a_places), b_list(b_places);
    const gpu::Array<float*> c_list(c_places);
    const std::vector<MatrixGroup> groups = {
        {plan, 2, a_list.data(), b_list.data(), 0, c_list.data(), batch},
        {plan, 1, a_list.data(), b_list.data(), 1, c_list.data(), batch}};
    execute_groups(groups);
    std::vector<float> result(host.size());
    c.copy_to(result);
    EXPECT_EQ(result[0], host[0]) << "what lies before all matrices";
    const auto at = [](Integer first, Integer i, Integer j) {
        return static_cast<std::size_t>(first + i + j * n);
    };
    for (Integer matrix = 0; matrix < batch; ++matrix)
        for (Integer j = 0; j < n; ++j)
            for (Integer i = 0; i < n; ++i) {
                float sum = 0;
                for (Integer k = 0; k < n; ++k)
                    sum += host[at(shared(matrix), i, k)] * host[at(offset_of(batch - 1 - matrix), k, j)];
                ASSERT_EQ(result[at(offset_of(matrix), i, j)], 3 * sum) << matrix << ": " << i << ", " << j;
            }
}

} // namespace matrix_lists_test
} // namespace swirl
