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
    EXPECT_EQ(tagged(31, 1, 4)->lead, 0) << "no whole vectors anyway";
}

TEST(VectorTags, SupportOpposedComponentStrides) {
    EXPECT_TRUE(tagged(32, 1, 1, 100 - Affine::of(0)).has_value());
}

TEST(VectorLoop, GivesEachIterationALaneOfItsOwn) {
    for (const Integer lead : {0, 3, 7}) {
        const VectorLoop lane{{0, 29}, 8, lead};
        std::set<std::pair<Integer, Integer>> addresses;
        for (Integer i = 0; i < lane.loop.count; ++i) {
            EXPECT_LT(lane.vector_of(i), lane.all_vectors());
            EXPECT_LT(lane.lane_of(i), i < lead ? lead : lane.lanes);
            addresses.insert({lane.vector_of(i), lane.lane_of(i)});
        }
        EXPECT_EQ(addresses.size(), 29U) << lead;
        EXPECT_EQ(lane.lead + lane.vectors() * lane.lanes + lane.rest(), lane.loop.count);
    }
}

} // namespace place_vector_tags_test
} // namespace swirl::loops
