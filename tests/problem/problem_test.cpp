#include "problem/problem.hpp"

#include "problem/random_problem.hpp"
#include "problem/syntax.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace swirl {
namespace problem_test {

using Dimensions = std::vector<Dimension>;

TEST(DefaultStrides, AreRowMajorAndContiguous) {
    EXPECT_EQ(Transform::dft({4, 3, 2}).dimensions, (Dimensions{{4, 6, 6}, {3, 2, 2}, {2, 1, 1}}));
    EXPECT_EQ(Transform::wht({8}).dimensions, (Dimensions{{8, 1, 1}}));
}

TEST(DefaultStrides, OfARealDftAreContiguousOnBothSides) {
    EXPECT_EQ(Transform::real_dft({4, 3, 8}).dimensions, (Dimensions{{4, 24, 15}, {3, 8, 5}, {8, 1, 1}}));
    EXPECT_EQ(Transform::real_dft({4, 7}, {.direction = Direction::backward}).dimensions,
              (Dimensions{{4, 4, 7}, {7, 1, 1}}));
}

TEST(DefaultStrides, OfAnInPlaceRealDftPadTheRows) {
    EXPECT_EQ(Transform::real_dft({4, 3, 8}, {.placement = Placement::in_place}).dimensions,
              (Dimensions{{4, 30, 15}, {3, 10, 5}, {8, 1, 1}}));
    EXPECT_EQ(
        Transform::real_dft({3, 7}, {.direction = Direction::backward, .placement = Placement::in_place})
            .dimensions,
        (Dimensions{{3, 4, 8}, {7, 1, 1}}));
}

TEST(DefaultStrides, OfOneSideFollowTheOtherInPlace) {
    EXPECT_EQ(Transform::dft({4, 3}, {.placement = Placement::in_place, .input_strides = {1, 4}}).dimensions,
              (Dimensions{{4, 1, 1}, {3, 4, 4}}));
    EXPECT_EQ(Transform::dft({4, 3}, {.input_strides = {1, 4}}).dimensions,
              (Dimensions{{4, 1, 3}, {3, 4, 1}}));
    EXPECT_EQ(
        Transform::real_dft({4, 6}, {.placement = Placement::in_place, .input_strides = {10, 1}}).dimensions,
        (Dimensions{{4, 10, 5}, {6, 1, 1}}));
    EXPECT_EQ(
        Transform::real_dft({4, 6}, {.placement = Placement::in_place, .output_strides = {7, 1}}).dimensions,
        (Dimensions{{4, 14, 7}, {6, 1, 1}}));
}

TEST(DefaultBatch, StepsPastWhatLiesInside) {
    EXPECT_EQ(Transform::dft({16, 8}, {.batches = {{.count = 10}}}).batches, (Dimensions{{10, 128, 128}}));
    EXPECT_EQ(Transform::dft({8}, {.input_strides = {-3}, .batches = {{.count = 2}}}).batches,
              (Dimensions{{2, 24, 8}}));
    EXPECT_EQ(Transform::dft({8}, {.batches = {{.count = 4}, {.count = 5, .input_stride = 100}}}).batches,
              (Dimensions{{4, 500, 40}, {5, 100, 8}}));
    EXPECT_EQ(Transform::real_dft({8}, {.batches = {{.count = 3}}}).batches, (Dimensions{{3, 8, 5}}));
    EXPECT_EQ(Transform::real_dft({8}, {.placement = Placement::in_place, .batches = {{.count = 3}}}).batches,
              (Dimensions{{3, 10, 5}}));
}

TEST(Builder, RejectsStridesThatDoNotMatchTheLengths) {
    EXPECT_THROW(Transform::dft({4, 3}, {.input_strides = {1}}), UserError);
    EXPECT_THROW(Transform::dft({4}, {.output_strides = {1, 4}}), UserError);
    EXPECT_THROW(Transform::dft({2, Integer{1} << 40, Integer{1} << 40}), UserError);
    EXPECT_THROW(Transform::dft({Integer{1} << 40, Integer{1} << 40}, {.batches = {{.count = 2}}}),
                 UserError);
}

TEST(Sides, HoldComplexOrRealElements) {
    const Transform forward = Transform::real_dft({8});
    const Transform backward = Transform::real_dft({8}, {.direction = Direction::backward});
    EXPECT_FALSE(is_complex(forward, Side::input));
    EXPECT_TRUE(is_complex(forward, Side::output));
    EXPECT_TRUE(is_complex(backward, Side::input));
    EXPECT_FALSE(is_complex(backward, Side::output));
    EXPECT_TRUE(is_complex(Transform::dft({8}), Side::input));
    EXPECT_FALSE(is_complex(Transform::wht({8}), Side::output));

    EXPECT_EQ(stored_length(forward, 0, Side::input), 8);
    EXPECT_EQ(stored_length(forward, 0, Side::output), 5);
    EXPECT_EQ(element_bytes(forward, Side::input), 8);
    EXPECT_EQ(element_bytes(forward, Side::output), 16);
    EXPECT_EQ(element_bytes(Transform::dft({8}, {.precision = DataType::float32}), Side::input), 8);
    EXPECT_EQ(element_bytes(Transform::dft({8}, {.layout = ComplexLayout::planar}), Side::input), 8);
}

TEST(Extent, ReachesBothWaysWhereStridesAreNegative) {
    const Transform problem =
        Transform::dft({4, 3}, {.input_strides = {-3, 1}, .batches = {{.count = 2, .input_stride = 100}}});
    EXPECT_EQ(extent(problem, Side::input), (Extent{-9, 102}));
    EXPECT_EQ(extent(problem, Side::output), (Extent{0, 23}));
    EXPECT_EQ(transform_size(problem), 12);
    EXPECT_EQ(batch_count(problem), 2);
    EXPECT_EQ(batch_count(Transform::dft({4})), 1);
}

TEST(Hash, IsThatOfEqualProblemsAndSeldomOfOthers) {
    RandomProblems random(20240501);
    std::unordered_set<std::size_t> hashes;
    std::unordered_set<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
        const Transform problem = random();
        EXPECT_EQ(hash_value(problem), std::hash<Transform>{}(Transform(problem)));
        hashes.insert(hash_value(problem));
        texts.insert(to_text(problem));
    }
    EXPECT_EQ(hashes.size(), texts.size());
}

TEST(Hash, DoesNotMixUpDimensionsAndBatches) {
    Transform a = Transform::dft({4, 3});
    Transform b = a;
    b.batches = {b.dimensions[0]};
    b.dimensions.erase(b.dimensions.begin());
    EXPECT_NE(hash_value(a), hash_value(b));
}

} // namespace problem_test
} // namespace swirl
