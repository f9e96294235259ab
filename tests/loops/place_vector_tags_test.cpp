#include "loops/place_vector_tags.hpp"

#include "loops/vector_loop.hpp"

#include <gtest/gtest.h>

#include <set>

namespace swirl::loops {
namespace place_vector_tags_test {

/// A loop of `count` iterations v around one entry at `first` + `step`·v and its result there, complex ones with the
/// imaginary component at `imaginary`; with its tags for vectors of 8 lanes.
std::optional<VectorLoop> tagged(Integer count, Integer first, Integer stride,
                                 std::optional<Affine> imaginary = {}) {
    const Variable v = 0;
    const Affine re = first + Affine::of(v, stride);
    const Location location{re, imaginary.value_or(re), false, false, {}, {}};
    const Memory memory{Memory::Kind::real, 0};
    LoopProgram program;
    program.extents.set(v, count);
    program.arrays.push_back({Array::Role::data, Memory::Kind::real, 0, 1000});
    program.body.push_back({Call{.codelet = copying_codelet(),
                                 .input = memory,
                                 .output = memory,
                                 .complex = false,
                                 .placement = {{location}, {location}},
                                 .loops = {{v, count}}}});
    place_vector_tags(program, {.formula = formula::I(1), .input = {}, .output = {}, .lanes = 8});
    return vector_loop_of(std::get<Call>(program.body[0].node).loops);
}

TEST(VectorTags, LeadWithAShortVectorToAlignedOnes) {
    const auto lane = tagged(31, 1, 1);
    ASSERT_TRUE(lane.has_value());
    EXPECT_EQ(lane->lead, 7);
    EXPECT_EQ(lane->vectors(), 3);
    EXPECT_EQ(lane->rest(), 0);
}

TEST(VectorTags, AvoidPrologueThatAddsAVector) {
    EXPECT_EQ(tagged(32, 1, 1)->lead, 0) << "five vectors for four";
    EXPECT_EQ(tagged(31, 8, 1)->lead, 0) << "aligned as it is";
    const auto strided = tagged(31, 1, 4);
    EXPECT_EQ(strided ? strided->lead : 0, 0) << "no whole vectors anyway";
}

TEST(VectorTags, SupportOpposedComponentStrides) {
    EXPECT_TRUE(tagged(32, 1, 1, 100 - Affine::of(0)).has_value());
}

TEST(VectorLoop, RunsEachIterationOnceUnlessVectorsOverlap) {
    for (const Integer count : {29, 24, 27})
        for (const Integer lead : {0, 3, 7})
            for (const bool overlap : {false, true}) {
                const VectorLoop lane{{0, count}, 8, lead, overlap};
                std::multiset<Integer> iterations;
                for (Integer vector = 0; vector < lane.all_vectors(); ++vector) {
                    const auto own = lane.iterations_of(vector);
                    EXPECT_LE(own.count, lane.lanes);
                    EXPECT_TRUE(own.count == lane.lanes || !overlap);
                    for (Integer i = 0; i < own.count; ++i) iterations.insert(own.first + i);
                }
                EXPECT_EQ(*iterations.begin(), 0);
                EXPECT_EQ(*iterations.rbegin(), count - 1);
                EXPECT_EQ(std::set<Integer>(iterations.begin(), iterations.end()).size(),
                          static_cast<std::size_t>(count));
                EXPECT_TRUE(iterations.size() == static_cast<std::size_t>(count) || overlap);
                EXPECT_EQ(lead + lane.vectors() * lane.lanes + lane.rest(), count);
            }
}

} // namespace place_vector_tags_test
} // namespace swirl::loops
