#include "passes/change_storage.hpp"

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/rounding.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

namespace swirl::passes {
namespace change_storage_test {

using namespace ir;

constexpr Buffer input = 0, output = 1; ///< of sums

/// out[i] = in[i] + in[i + 1], two at a time; `in` is aligned to two.
Program sums() {
    Builder builder("sums");
    const auto argument = [&](const char* name, bool written) {
        BufferInfo info;
        info.name = name;
        info.role.argument = written ? ArgumentRole::output : ArgumentRole::input;
        info.element = DataType::float32;
        info.elements = written ? 2 : 3;
        info.written = written;
        info.alignment = 8;
        return builder.add(std::move(info));
    };
    const Buffer in = argument("in", false), out = argument("out", true);
    const Value first = builder.load(in, 0, {.lanes = 2}), second = builder.load(in, 1, {.lanes = 2});
    builder.store(out, 0, builder.add(first, second));
    return builder.finish();
}

TEST(ChangeOfStorage, ConvertsLoadsAndRoundsStores) {
    Program program = change_storage(sums(), output, DataType::float16);
    verify(program, VerificationLevel::vectorized);
    EXPECT_EQ(program.buffers[0].element, DataType::float32);
    EXPECT_EQ(program.buffers[1].element, DataType::float16);
    EXPECT_EQ(program.buffers[1].alignment, 4);
    program = change_storage(std::move(program), input, DataType::bfloat16);
    verify(program, VerificationLevel::vectorized);
    Arguments arguments(program);
    const double values[] = {1, 0x1p-7, 256};
    for (Integer i = 0; i < 3; ++i) arguments["in"].set(i, values[i]);
    interpret(program, arguments);
    EXPECT_EQ(arguments["out"][0], 1 + 0x1p-7) << "of more digits than bfloat16 has";
    EXPECT_EQ(arguments["out"][1], round_to_float16(256 + 0x1p-7));
}

TEST(ChangeOfStorage, ToTheSameTypeChangesNothing) {
    const Program program = sums();
    EXPECT_EQ(change_storage(program, input, DataType::float32).operations.size(), program.operations.size());
}

} // namespace change_storage_test
} // namespace swirl::passes
