#include "emit/cpp/transform.hpp"

#include "base/error.hpp"
#include "emit/compiled_text.hpp"
#include "ir/builder.hpp"

#include <gtest/gtest.h>

namespace swirl::emit {
namespace cpp_transform_test {

using ir::Value;

/// to[i] = from[i] + from[i+1] (cyclic) through a workspace, eight elements.
ir::Program neighbours(const char* from, const char* to) {
    ir::Builder b("neighbours");
    const auto in = b.input(from, DataType::float64, 8);
    const auto table = b.table("next", {1, 2, 3, 4, 5, 6, 7, 0});
    const auto work = b.scratch("work", DataType::float64, 8);
    const auto more = b.scratch("more", DataType::float64, 3);
    const auto out = b.output(to, DataType::float64, 8);
    b.for_loop("i", 8, [&](const Affine& i) { b.store(work, i, b.load(in, i)); });
    b.store(more, 2, b.load(in, 0));
    b.for_loop("i", 8, [&](const Affine& i) {
        const Value next = b.load(work, 0, {.dynamic = b.load(table, i)});
        b.store(out, i, b.add(b.load(work, i), next));
    });
    return b.finish();
}

/// data[i] ← 3·data[i], four lanes at a time.
ir::Program tripling() {
    ir::Builder b("tripling");
    const auto data = b.output("data", DataType::float64, 8);
    b.for_loop("i", 0, 8, 4, ir::For::Kind::serial, [&](const Affine& i) {
        const Value x = b.load(data, i, {.lanes = 4});
        b.store(data, i, b.multiply(x, b.constant({DataType::float64, 4}, 3)));
    });
    return b.finish();
}

struct Example {
    ir::Program first = neighbours("in", "out");
    ir::Program second = tripling();
    CppTransform transform{.name = "filter",
                           .arguments = {{.name = "in"}, {.name = "out", .written = true}},
                           .calls = {{&first, {0, 1}}, {&second, {1}}, {&second, {1}}}};
};

TEST(EmittedTransform, RunsItsKernelsOneAfterTheOther) {
    const Example example;
    for (const CppVectors vectors : {CppVectors::scalar, CppVectors::extensions})
        for (const std::string& compiler : compilers()) {
            const CompiledText file(emit_cpp(example.transform, {.vectors = vectors}), compiler, "-O1");
            const auto filter = file.function<void(const double*, double*, void*)>("filter");
            const double in[] = {1, 2, 4, 8, 16, 32, 64, 128};
            double out[8] = {};
            std::vector<char> workspace(cpp_workspace_bytes(example.transform), '\x7f');
            filter(in, out, workspace.data());
            for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], 9 * (in[i] + in[(i + 1) % 8])) << i;
        }
}

TEST(EmittedTransform, HeaderCompilesAsCppAndC) {
    const Example example;
    const std::string header = emit_cpp_header(example.transform, {.comment = "A filter."});
    EXPECT_EQ(header,
              "// A filter.\n"
              "#pragma once\n"
              "\n"
              "#ifdef __cplusplus\n"
              "extern \"C\" {\n"
              "#endif\n"
              "\n"
              "// Bytes of workspace, contents irrelevant.\n"
              "#define filter_workspace_bytes 384\n"
              "void filter(const double* in, double* out, void* workspace);\n"
              "\n"
              "#ifdef __cplusplus\n"
              "} // extern \"C\"\n"
              "#endif\n");
    // The declaration before the definition: the compiler compares them.
    const std::string both = header.substr(header.find("#ifdef")) + emit_cpp(example.transform);
    EXPECT_NO_THROW(CompiledText(both, compilers().front(), "-O0"));
}

TEST(EmittedTransform, TakesNoWorkspaceWhenItNeedsNone) {
    const Example example;
    const CppTransform transform{.name = "tripling",
                                 .arguments = {{.name = "data", .written = true}},
                                 .calls = {{&example.second, {0}}}};
    EXPECT_EQ(cpp_workspace_bytes(transform), 0U);
    const CompiledText file(emit_cpp(transform), compilers().front(), "-O0");
    double data[] = {0, 1, 2, 3, 4, 5, 6, 7};
    file.function<void(double*)>("tripling")(data);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(data[i], 3 * i);
}

TEST(EmittedTransform, RefusesStepsThatDoNotFitItsArguments) {
    Example example;
    example.transform.calls[1].arguments = {0}; // writes to what is only read
    EXPECT_THROW(emit_cpp(example.transform), InternalError);
    example.transform.calls[1].arguments = {};
    EXPECT_THROW(emit_cpp(example.transform), InternalError);
    example.transform.calls[1].arguments = {1, 1};
    EXPECT_THROW(emit_cpp(example.transform), InternalError);
}

} // namespace cpp_transform_test
} // namespace swirl::emit
