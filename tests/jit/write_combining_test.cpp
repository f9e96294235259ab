#include "jit/write_combining.hpp"

#include "ir/builder.hpp"
#include "jit/compile.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

namespace swirl::jit::test {
namespace write_combining_test {

using ir::Builder;

/// An array too large for the caches, at a cache line.
ir::Buffer add_large(Builder& builder) {
    ir::BufferInfo info;
    info.name = "out";
    info.role.argument = ir::ArgumentRole::output;
    info.elements = 1 << 20;
    info.alignment = 64;
    info.written = true;
    info.non_temporal = true;
    return builder.add(std::move(info));
}

struct Form {
    const char* what;
    int lanes;
    std::vector<Integer> offsets; ///< stores of an iteration, in their order, in elements
    Integer iterations, step;     ///< elements from one iteration to the next
    bool fills;
};

const Form forms[] = {
    {"whole lines one after the other", 4, {0, 4, 8, 12}, 100, 16, true},
    {"vectors of a line each, far apart", 8, {0, 512, 1024, 1536, 2048, 2560, 3072, 3584}, 64, 8, true},
    {"halves of a few lines", 4, {0, 8, 16, 24, 4, 12, 20, 28}, 100, 32, true},
    {"halves of many lines",
     4,
     {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 4, 12, 20, 28, 36, 44, 52, 60, 68, 76},
     100,
     80,
     false},
    {"lines that end in the next iteration", 4, {0, 4, 8, 12, 16}, 100, 20, true},
    {"halves of rows, whose other halves come next", 4, {0, 512, 1024, 1536}, 128, 4, true},
    {"halves of many rows", 4, {0, 512, 1024, 1536, 2048, 2560, 3072, 3584}, 128, 4, false},
    {"halves alone", 4, {0}, 100, 16, false},
    {"quarters of a line in any order", 2, {4, 0, 6, 2}, 100, 8, true},
};

TEST(NonTemporalStores, FillTheLinesThatTheyBegin) {
    for (const Form& form : forms) {
        Builder builder("stores");
        const ir::Buffer out = add_large(builder);
        const ir::Type type{DataType::float64, form.lanes};
        builder.for_loop("i", form.iterations, [&](const Affine& i) {
            for (const Integer offset : form.offsets)
                builder.store(out, form.step * i + offset, builder.constant(type, 1), {.lanes = form.lanes});
        });
        const ir::Program program = builder.finish();
        const auto bytes = [&](ir::Value) { return 8 * form.lanes; };
        EXPECT_EQ(filled_lines(program, program.body.front(), bytes).front(), form.fills) << form.what;
        for (const target::Cpu* cpu : target::cpus()) {
            if (cpu->set == target::InstructionSet::portable || cpu->emitted_only ||
                cpu->vector_bytes < 8 * form.lanes)
                continue;
            const std::string listing = compile(program, *cpu, {.listing = true}).listing;
            EXPECT_EQ(listing.find("movntpd") != std::string::npos, form.fills)
                << form.what << " " << cpu->name;
        }
    }
}

} // namespace write_combining_test
} // namespace swirl::jit::test
