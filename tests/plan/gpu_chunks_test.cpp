#include "plan/transform/gpu/chunks.hpp"
#include "support/transform_schedule.hpp"

#include "base/error.hpp"
#include "plan/schedule.hpp"
#include "problem/syntax.hpp"

#include <gtest/gtest.h>

namespace swirl::planning {
namespace gpu_chunks_test {

TEST(ChunksOfABatch, CoverItOnce) {
    const Transform all = problem("dft 64 float32 batch=10:(100,70)x3:2000");
    const GpuChunks chunks(all, 4);
    EXPECT_EQ(chunks.whole(), 2);
    EXPECT_EQ(chunks.rest(), 2);
    EXPECT_EQ(chunks.problem_of(4), problem("dft 64 float32 batch=4:(100,70)x3:2000"));
    const GpuChunks one(all, 0);
    EXPECT_EQ(one.whole(), 1);
    EXPECT_EQ(one.rest(), 0);
    EXPECT_EQ(one.problem_of(one.iterations()), all);
}

TEST(ChunksOfABatch, FindTheirDataByTheStridesOfBothSides) {
    char memory[1] = {};
    const Arguments all{.input = memory, .output = memory};
    const GpuChunks chunks(problem("dft 64 float32 batch=10:(100,70)"), 4);
    const Arguments second = chunks.arguments_of(all, 1);
    EXPECT_EQ(static_cast<const char*>(second.input) - memory, 4 * 100 * 8);
    EXPECT_EQ(static_cast<char*>(second.output) - memory, 4 * 70 * 8);
    EXPECT_EQ(second.input_imaginary, nullptr);
    const GpuChunks reals(problem("rdft 64 batch=10:(64,33)"), 5);
    const Arguments half = reals.arguments_of(all, 1);
    EXPECT_EQ(static_cast<const char*>(half.input) - memory, 5 * 64 * 8);
    EXPECT_EQ(static_cast<char*>(half.output) - memory, 5 * 33 * 16);
}

TEST(ChunksOfABatch, AreNotForWhatDiffersFromTransformToTransform) {
    EXPECT_THROW(GpuChunks(problem("convolution 64 batch=10 spectrum=each"), 4), UserError);
    EXPECT_THROW(GpuChunks(problem("dft 64 batch=10 load=\"x * w[b, i]\""), 4), UserError);
    EXPECT_THROW(GpuChunks(problem("dft 64 batch=10 store=\"x where b < 4\""), 4), UserError);
    const Transform shared = problem("convolution 64 batch=10 load=\"x * w[i]\"");
    const ArrayArgument arrays[2] = {};
    char memory[1] = {};
    const Arguments all{.input = memory, .output = memory, .arrays = arrays};
    EXPECT_EQ(GpuChunks(shared, 4).arguments_of(all, 1).arrays.data(), arrays);
}

TEST(ChunksOfABatch, AreNoLargerThanIt) {
    EXPECT_THROW(GpuChunks(problem("dft 64 batch=3"), 4), UserError);
    EXPECT_THROW(GpuChunks(problem("dft 64"), 2), UserError);
}

TEST(ChunksOfABatch, AreNamedInSchedules) {
    const Schedule schedule = transform_schedule("sm_90: chunk 8; 0 stockham(8,8) on 32x4");
    EXPECT_EQ(schedule.transform().chunk, 8);
    EXPECT_EQ(transform_schedule(to_string(schedule)), schedule);
    EXPECT_THROW(transform_schedule("sm_90: chunk 0; 0 stockham(8,8) on 32x4"), UserError);
    EXPECT_THROW(transform_schedule("sm_90: chunk; 0 stockham(8,8) on 32x4"), UserError);
}

} // namespace gpu_chunks_test
} // namespace swirl::planning
