#include <gtest/gtest.h>
#include <swirl/swirl.hpp>
#include "api/c_interface.hpp"

#include <string>
#include <vector>

namespace swirl {
namespace matrix_groups_test {

/// Column-major products of small integers, exact, each with its own memory.
struct Group {
    Group(Integer rows_, Integer columns_, Integer k_extent_, Integer count)
        : rows(rows_), columns(columns_), k_extent(k_extent_) {
        for (Integer item = 0; item < count; ++item) {
            a.push_back(elements(rows * k_extent, item));
            b.push_back(elements(k_extent * columns, item + 3));
            c.push_back(elements(rows * columns, item + 5));
            before.push_back(c.back());
        }
        for (std::size_t item = 0; item < a.size(); ++item) {
            a_list.push_back(a[item].data());
            b_list.push_back(b[item].data());
            c_list.push_back(c[item].data());
        }
    }
    static std::vector<double> elements(Integer count, Integer seed) {
        std::vector<double> values(static_cast<std::size_t>(count));
        Integer at = seed;
        for (double& value : values) value = static_cast<double>((at += 7) % 13 - 6);
        return values;
    }
    MatrixProduct product() const {
        return MatrixProduct::column_major(DataType::float64, rows, columns, k_extent);
    }
    MatrixGroup group(double alpha, double beta, int threads = 1) const {
        return {swirl::plan(product(), {.threads = threads}),
                alpha,
                a_list.data(),
                b_list.data(),
                beta,
                c_list.data(),
                static_cast<Integer>(a.size())};
    }
    void expect_right(double alpha, double beta) const {
        for (std::size_t item = 0; item < a.size(); ++item)
            for (Integer i = 0; i < rows; i += 1 + rows / 20)
                for (Integer j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (Integer k = 0; k < k_extent; ++k)
                        sum += a[item][static_cast<std::size_t>(i + k * rows)] *
                               b[item][static_cast<std::size_t>(k + j * k_extent)];
                    const auto at = static_cast<std::size_t>(i + j * rows);
                    ASSERT_EQ(c[item][at], alpha * sum + beta * before[item][at])
                        << "item " << item << " of " << rows << " by " << columns;
                }
    }

    Integer rows, columns, k_extent;
    std::vector<std::vector<double>> a, b, c, before;
    std::vector<const double*> a_list, b_list;
    std::vector<double*> c_list;
};

TEST(MatrixGroups, HoldProductsOfSeveralShapes) {
    for (const int threads : {1, 2, 3}) {
        const Group small(7, 5, 9, 500), none(4, 4, 4, 0), middle(60, 70, 50, 9), large(400, 390, 80, 2);
        const std::vector<MatrixGroup> groups = {small.group(2, 1), none.group(1, 1), middle.group(-1, 0.5),
                                                 large.group(1, 0, threads)};
        execute_groups(groups);
        small.expect_right(2, 1);
        middle.expect_right(-1, 0.5);
        large.expect_right(1, 0);
    }
}

TEST(MatrixGroups, OneIsABatchOfPointers) {
    for (const int threads : {1, 2}) {
        const Group group(23, 17, 40, 77);
        const Plan plan = swirl::plan(group.product(), {.threads = threads});
        plan.execute_each(3, group.a_list.data(), group.b_list.data(), 1, group.c_list.data(), 77);
        group.expect_right(3, 1);
    }
}

TEST(MatrixGroups, WriteNothingWhereOneProductIsWrong) {
    Group good(6, 6, 6, 3), bad(5, 5, 5, 4);
    bad.b_list[2] = nullptr;
    const std::vector<MatrixGroup> groups = {good.group(1, 0), bad.group(1, 0)};
    std::string message;
    try {
        execute_groups(groups);
    } catch (const UserError& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("product 2 of group 1"), std::string::npos) << message;
    EXPECT_EQ(good.c, good.before);
    EXPECT_EQ(bad.c, bad.before);
    const Plan plan = swirl::plan(good.product());
    EXPECT_THROW(plan.execute_each(1, good.a_list.data(), good.b_list.data(), 0, good.c_list.data(), -1),
                 UserError);
}

TEST(MatrixGroups, AndPackedOperandsServeC) {
    Group group(12, 11, 10, 5);
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.threads = 2;
    const c::Plan plan = c::plan("gemm 12x11x10", &options);
    const double alpha = 2, beta = 1;
    const auto lists = [](const auto& list) { return reinterpret_cast<const void* const*>(list.data()); };
    const swirl_group groups[] = {{plan.get(), &alpha, lists(group.a_list), lists(group.b_list), &beta,
                                   reinterpret_cast<void* const*>(group.c_list.data()), 5}};
    EXPECT_EQ(swirl_execute_groups(groups, 1, nullptr), SWIRL_OK) << swirl_last_error();
    group.expect_right(2, 1);
    EXPECT_EQ(swirl_execute_groups(nullptr, 1, nullptr), SWIRL_USER_ERROR);

    group.c = group.before;
    for (std::size_t item = 0; item < 5; ++item) {
        swirl_packed_matrix *a = nullptr, *b = nullptr;
        ASSERT_EQ(swirl_packed_matrix_create(plan.get(), SWIRL_A, group.a_list[item], &a), SWIRL_OK);
        const c::PackedMatrix owned_a(a);
        ASSERT_EQ(swirl_packed_matrix_create(plan.get(), SWIRL_B, group.b_list[item], &b), SWIRL_OK);
        const c::PackedMatrix owned_b(b);
        EXPECT_GT(swirl_packed_matrix_bytes(a), 0U);
        const swirl_array arrays[] = {{"packed_a", a, nullptr},
                                      {"packed_b", b, nullptr},
                                      {"alpha", &alpha, nullptr},
                                      {"beta", &beta, nullptr},
                                      {"c", group.c[item].data(), nullptr}};
        EXPECT_EQ(swirl_execute_arrays(plan.get(), arrays, 5, nullptr), SWIRL_OK) << swirl_last_error();
    }
    group.expect_right(2, 1);
    swirl_packed_matrix_destroy(nullptr);
}

} // namespace matrix_groups_test
} // namespace swirl
