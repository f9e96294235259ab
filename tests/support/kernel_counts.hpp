#pragma once

#include "ir/interpreter.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::support {

struct KernelCounts {
    Integer read = 0, written = 0; ///< sectors of the caller's memory
    Integer barriers = 0;          ///< of a block
    Integer shared = 0,
            lost = 0; ///< accesses of warps to shared memory, and cycles lost to conflicts of banks
};

/// What the only kernel of a plan does, in the interpreter.
inline KernelCounts counts_of(const std::string& text, const std::string& schedule) {
    const auto passes = planning::describe_passes(parse_transform(text), transform_schedule(schedule));
    EXPECT_EQ(passes.size(), 1U);
    const ir::Program& program = passes.front().programs.front();
    ir::Arguments arguments(program);
    for (const ir::BufferInfo& buffer : program.buffers)
        for (Integer i = buffer.first; buffer.name == "input" && i < buffer.first + buffer.elements; ++i)
            arguments[buffer.name].set(i, static_cast<double>(i % 7));
    const ir::InterpreterReport report = ir::interpret(program, arguments);
    KernelCounts counts;
    for (std::size_t b = 0; b < program.buffers.size(); ++b) {
        const auto &loads = report.loads[b], &stores = report.stores[b];
        if (program.buffers[b].space == ir::Space::shared) {
            counts.shared += loads.accesses + stores.accesses;
            counts.lost += loads.extra_cycles + stores.extra_cycles;
        }
        if (program.buffers[b].space != ir::Space::argument) continue;
        counts.read += loads.sectors;
        counts.written += stores.sectors;
    }
    counts.barriers = report.barriers / program.launch.blocks[0];
    return counts;
}

} // namespace swirl::support
