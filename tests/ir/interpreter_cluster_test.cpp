// Blocks of a cluster: the shared memory that they see, and what their barriers order.

#include "interpreter_run.hpp"
#include "ir/builder.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace swirl::ir::test {
namespace interpreter_cluster_test {

/// Blocks of a cluster hand what they read to their neighbour; each adds what only it sees.
Program neighbours(bool of_cluster) {
    constexpr Integer threads = 32, cluster = 4;
    Builder b("neighbours");
    b.launch({.blocks = {2 * cluster, 1, 1}, .threads = {threads, 1, 1}, .cluster = cluster});
    const Buffer x = b.input("x", DataType::float32, 2 * cluster * threads);
    const Buffer y = b.output("y", DataType::float32, 2 * cluster * threads);
    BufferInfo info;
    info.name = "all";
    info.element = DataType::float32;
    info.space = Space::shared;
    info.elements = cluster * threads;
    info.dsmem_elements_per_block = threads;
    info.written = true;
    const Buffer all = b.add(info);
    const Buffer own = b.shared("own", DataType::float32, threads);
    const Affine rank = b.block(0, 1, cluster), at = threads * b.block() + b.thread();
    const Value value = b.load(x, at);
    b.store(own, b.thread(), value);
    b.store(all, threads * (cluster - 1) - threads * rank + b.thread(), value); // the opposite block's
    if (of_cluster)
        b.cluster_barrier();
    else
        b.barrier();
    b.store(y, at, b.add(b.load(all, threads * rank + b.thread()), b.load(own, b.thread())));
    return b.finish();
}

TEST(InterpreterOnGpu, BlocksOfAClusterReadDistributedSharedMemory) {
    const Program program = neighbours(true);
    Arguments arguments(program);
    std::vector<double> x(256);
    std::iota(x.begin(), x.end(), 0.0);
    arguments["x"].assign(x);
    EXPECT_TRUE(run(program, arguments).ok());
    for (Integer i = 0; i < 256; ++i) {
        const Integer opposite = i / 128 * 128 + (3 - i / 32 % 4) * 32 + i % 32;
        EXPECT_EQ(arguments["y"][i], i + opposite);
    }
}

TEST(InterpreterOnGpu, FindsRacesBetweenUnsynchronizedBlocks) {
    const InterpreterReport report = run_on_ramp(neighbours(false));
    EXPECT_TRUE(found(report, Diagnostic::Kind::race, 2));
    EXPECT_FALSE(found(report, Diagnostic::Kind::race, 3));
}

/// Reverses the blocks' data in place, in each of several ranges of the memory.
Program transposed_in_place(bool of_cluster, Integer runs) {
    constexpr Integer threads = 32, blocks = 8;
    Builder b("turned");
    b.launch({.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}, .cluster = blocks / 2});
    BufferInfo info;
    info.name = "x";
    info.role.argument = ArgumentRole::data;
    info.element = DataType::float32;
    info.space = Space::argument;
    info.elements = blocks * threads;
    info.written = true;
    const Buffer data = b.add(info);
    const Integer run = blocks * threads / runs;
    const Affine rank = b.block(0, 1, blocks / runs), at = threads * b.block() + b.thread();
    const Affine first = at - threads * rank - b.thread();
    const Value value = b.load(data, at);
    if (of_cluster)
        b.cluster_barrier();
    else
        b.barrier();
    b.store(data, first + run - 1 - threads * rank - b.thread(), value);
    return b.finish();
}

TEST(InterpreterOnGpu, ClusterBarrierAllowsOverwriting) {
    EXPECT_TRUE(run_on_ramp(transposed_in_place(true, 2)).ok());
    EXPECT_TRUE(found(run_on_ramp(transposed_in_place(false, 2)), Diagnostic::Kind::race, 0));
    EXPECT_TRUE(found(run_on_ramp(transposed_in_place(true, 1)), Diagnostic::Kind::race, 0));
}

} // namespace interpreter_cluster_test
} // namespace swirl::ir::test
