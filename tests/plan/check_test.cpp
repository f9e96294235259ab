#include "plan/check/transform.hpp"
#include "support/transform_schedule.hpp"

#include "base/error.hpp"
#include "plan/check/write_watch.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <string>
#include <utility>

namespace swirl::planning {
namespace check_test {

/// What the check says of a right plan after whose executions `spoil` is called.
template <class F> std::string error_after(const char* text, const char* schedule, F&& spoil) {
    const Transform problem = swirl::problem(text);
    const auto plan = Plan::build(problem, transform_schedule(schedule), {.check = false});
    return error_of<InternalError>([&] {
        check_against_definition(problem, plan->schedule(), [&](ProblemData& data) {
            plan->execute(data.arguments());
            spoil(data.arguments());
        });
    });
}

void set_byte(const void* base, std::ptrdiff_t offset) {
    static_cast<unsigned char*>(const_cast<void*>(base))[offset] = 0;
}

TEST(TheCheckOfPlans, AcceptsPlansThatWriteTheirOutputOnly) {
    for (const char* text :
         {"dft 16", "dft 16 inplace", "dft 16 planar batch=3", "dft 8 strides=3 batch=2:40 inplace",
          "dft 8 in=-2 out=1 batch=3:(-20,9)", "dft 1 batch=5:2", "dft 16 batch=2 float32 planar inplace"})
        EXPECT_EQ(error_after(text, "portable: 0 codelet", [](const Arguments&) {}), "") << text;
}

TEST(TheCheckOfPlans, FindsWritesAroundEveryArray) {
    constexpr const char* schedule = "portable: 0 codelet";
    const auto expect = [&](const char* text, const char* said, auto spoil) {
        const std::string error = error_after(text, schedule, spoil);
        EXPECT_NE(error.find(said), std::string::npos) << text << "\n" << error;
        EXPECT_NE(error.find(schedule), std::string::npos) << error;
    };
    expect("dft 8", "output, byte 128 ", [](const Arguments& a) { set_byte(a.output, 8 * 16); });
    expect("dft 8", "output, byte -1 ", [](const Arguments& a) { set_byte(a.output, -1); });
    expect("dft 8", "output, byte -16000 ", [](const Arguments& a) { set_byte(a.output, -16000); });
    expect("dft 8", "input, byte 128 ", [](const Arguments& a) { set_byte(a.input, 8 * 16); });
    expect("dft 8", "changed its input", [](const Arguments& a) { set_byte(a.input, 5); });
    expect("dft 8 inplace", "output, byte 128 ", [](const Arguments& a) { set_byte(a.output, 8 * 16); });
    expect("dft 8 planar", "imaginary output, byte 64 ",
           [](const Arguments& a) { set_byte(a.output_imaginary, 64); });
    expect("dft 8 float32 strides=-1", "output, byte -64 ",
           [](const Arguments& a) { set_byte(a.output, -64); });
}

TEST(TheCheckOfPlans, FindsWritesBetweenElements) {
    for (const char* text : {"dft 8 strides=2", "dft 8 in=1 out=2", "dft 8 strides=2 inplace"}) {
        const std::string error = error_after(text, "portable: 0 codelet",
                                              [](const Arguments& a) { set_byte(a.output, 3 * 16 + 2); });
        EXPECT_NE(error.find("output, byte 50 "), std::string::npos) << text << "\n" << error;
    }
}

TEST(TheCheckOfPlans, ComparesEveryTransformOfABatch) {
    for (const std::ptrdiff_t transform : {0, 7, 13, 30}) {
        const std::string error =
            error_after("dft 8 batch=31", "portable: 0 codelet", [&](const Arguments& arguments) {
                static_cast<double*>(arguments.output)[(transform * 8 + 5) * 2] += 0.01;
            });
        EXPECT_NE(error.find("failed its check"), std::string::npos) << transform << " " << error;
    }
}

/// Each output counts: one that is off in a place that no sample of outputs has is found, and so is one that another
/// one makes up for.
TEST(TheCheckOfPlans, ComparesEveryOutputOfALongFormula) {
    constexpr const char* text = "formula DFT(2) ⊗ I(2200000)"; // more than 2^22 points
    constexpr const char* schedule = "portable: 0 formula";
    EXPECT_EQ(error_after(text, schedule, [](const Arguments&) {}), "");
    const auto expect_found = [&](auto spoil) {
        const std::string error = error_after(text, schedule, [&](const Arguments& arguments) {
            spoil(static_cast<std::complex<double>*>(arguments.output));
        });
        EXPECT_NE(error.find("failed its check"), std::string::npos) << error;
        EXPECT_NE(error.find(text), std::string::npos) << error;
    };
    expect_found([](std::complex<double>* y) { y[4300001] *= -1; });
    expect_found([](std::complex<double>* y) { std::swap(y[1234567], y[3234567]); });
}

TEST(TheCheckOfPlans, ComparesScalesAtTheEdgesOfTheRange) {
    for (const char* text : {"dft 8 scale=1e307", "dft 8 float32 scale=1e38", "dft 8 scale=1e-320",
                             "dft 8 float32 scale=1e-44", "dft 8 float32 scale=1e-310", "dft 8 scale=0"})
        EXPECT_EQ(error_after(text, "portable: 0 codelet", [](const Arguments&) {}), "") << text;
    for (const char* text : {"dft 8 scale=1e307", "dft 8 scale=-1.5e308"}) {
        const std::string error = error_after(text, "portable: 0 codelet", [](const Arguments& arguments) {
            static_cast<double*>(arguments.output)[5] *= 1.01;
        });
        EXPECT_NE(error.find("failed its check"), std::string::npos) << text << " " << error;
    }
}

TEST(TheCheckOfPlans, FindsWritesAroundTheWorkspace) {
    EXPECT_NO_THROW(
        run_in_guarded_workspace(640, "a plan", [](void* workspace) { std::memset(workspace, 0, 640); }));
    EXPECT_NO_THROW(
        run_in_guarded_workspace(0, "a plan", [](void* workspace) { EXPECT_EQ(workspace, nullptr); }));
    for (const std::ptrdiff_t offset : {-8, 640, 16000}) {
        const std::string error = error_of<InternalError>(
            [&] { run_in_guarded_workspace(640, "a plan", [&](void* at) { set_byte(at, offset); }); });
        EXPECT_NE(error.find("a plan: workspace, byte " + std::to_string(offset) + " of 640"),
                  std::string::npos)
            << error;
    }
}

} // namespace check_test
} // namespace swirl::planning
