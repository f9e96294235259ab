#include "api/two_array_call.hpp"

#include "plan/transform/dimension_passes.hpp"
#include "problem/problem.hpp"
#include "problem/syntax.hpp"
#include "search/planner.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace swirl::api {
namespace two_array_call_test {

using Complex = std::complex<double>;
constexpr std::size_t unknown = detail::ArrayArgument::unknown;
const std::uint32_t complex_type = detail::element_type_of<Complex>().code();

/// A plan with its shortest call.
struct Planned {
    explicit Planned(const std::string& text, const std::string& tree)
        : problem(parse_transform(text)),
          plan(planning::Plan::build(
              problem, transform_schedule(std::string(target::host_cpu().name) + ": 0 " + tree))),
          call(signature_of(problem).at(0), signature_of(problem).at(1), plan->pointer_call()) {}
    Transform problem;
    std::shared_ptr<const planning::Plan> plan;
    TwoArrayCall call;
};

bool has_machine_code() { return target::host_cpu().set != target::InstructionSet::portable; }

std::vector<Complex> by_definition(const std::vector<Complex>& x) {
    std::vector<Complex> y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t j = 0; j < x.size(); ++j)
            y[k] += x[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % x.size()) /
                                               static_cast<double>(x.size()));
    return y;
}

std::vector<Complex> some_values(std::size_t count) {
    std::vector<Complex> x;
    for (std::size_t k = 0; k < count; ++k)
        x.emplace_back(std::sin(1.0 + static_cast<double>(k)), std::cos(3.0 * static_cast<double>(k)));
    return x;
}

double distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += std::norm(a[k] - b[k]);
    return std::sqrt(sum);
}

TEST(TwoArrayCall, ComputesTheTransform) {
    if (!has_machine_code()) GTEST_SKIP() << "no machine code here";
    // Without a workspace and with one.
    for (const auto& [n, tree] : {std::pair(5, "codelet"), std::pair(16, "stockham(4,4)"),
                                  std::pair(300, "stockham(20,15)"), std::pair(17, "codelet")}) {
        const Planned planned("dft " + std::to_string(n), tree);
        const std::vector<Complex> x = some_values(static_cast<std::size_t>(n));
        std::vector<Complex> y(x.size());
        ASSERT_TRUE(planned.call.run({x.data(), x.size(), complex_type}, {y.data(), y.size(), complex_type}))
            << n;
        EXPECT_LT(distance(y, by_definition(x)), 1e-12) << n;
    }
    const Planned in_place("dft 8 inplace", "stockham(4,2)");
    const std::vector<Complex> x = some_values(8);
    std::vector<Complex> y = x;
    ASSERT_TRUE(in_place.call.run(y.data(), y.data()));
    EXPECT_LT(distance(y, by_definition(x)), 1e-12);
    EXPECT_FALSE(in_place.call.run(x.data(), y.data())) << "two arrays in place";
}

TEST(TwoArrayCall, LeavesEverythingDoubtfulAlone) {
    if (!has_machine_code()) GTEST_SKIP() << "no machine code here";
    const Planned planned("dft 8", "stockham(4,2)");
    const std::vector<Complex> x = some_values(16);
    const std::vector<Complex> untouched(16, {7, 7});
    std::vector<Complex> y = untouched;
    const auto refuses = [&](const TwoArrayCall::Array<const void*>& in,
                             const TwoArrayCall::Array<void*>& out) {
        return !planned.call.run(in, out) && y == untouched;
    };
    const auto byte_past = [](const auto* array) {
        return static_cast<const void*>(reinterpret_cast<const std::byte*>(array) + 1);
    };
    EXPECT_TRUE(refuses({nullptr, unknown, complex_type}, {y.data(), unknown, complex_type}));
    EXPECT_TRUE(refuses({x.data(), unknown, complex_type}, {nullptr, unknown, complex_type}));
    EXPECT_TRUE(refuses({byte_past(x.data()), unknown, complex_type}, {y.data(), unknown, complex_type}));
    EXPECT_TRUE(refuses({y.data() + 7, unknown, complex_type}, {y.data(), unknown, complex_type}));
    EXPECT_TRUE(refuses({x.data(), 7, complex_type}, {y.data(), 8, complex_type})) << "too few elements";
    EXPECT_TRUE(refuses({x.data(), 8, complex_type}, {y.data(), 7, complex_type}));
    const std::uint32_t other = detail::element_type_of<std::complex<float>>().code();
    EXPECT_TRUE(refuses({x.data(), unknown, other}, {y.data(), unknown, complex_type}));
    EXPECT_TRUE(refuses({x.data(), 8, 0}, {y.data(), unknown, complex_type})) << "elements of unknown size";
    EXPECT_TRUE(planned.call.run({x.data(), unknown, 0}, {y.data(), unknown, 0}));
}

TEST(TwoArrayCall, RunsNothingForPlansOfOtherKinds) {
    const std::vector<Complex> x = some_values(64);
    std::vector<Complex> y(64);
    EXPECT_FALSE(TwoArrayCall().run(x.data(), y.data()));
    EXPECT_FALSE(TwoArrayCall().run({x.data(), unknown, 0}, {y.data(), unknown, 0}));
    if (!has_machine_code()) GTEST_SKIP() << "no machine code here";
    const Planned planar("dft 8 planar", "stockham(4,2)"); // four arrays
    EXPECT_FALSE(planar.call.run(x.data(), y.data()));
}

TEST(ElementCodes, DifferForDifferentTypes) {
    EXPECT_EQ(detail::element_type_of<void>().code(), 0U);
    const std::uint32_t codes[] = {detail::element_type_of<float>().code(),
                                   detail::element_type_of<double>().code(),
                                   detail::element_type_of<std::complex<float>>().code(), complex_type};
    for (std::size_t a = 0; a < std::size(codes); ++a)
        for (std::size_t b = 0; b < std::size(codes); ++b) EXPECT_EQ(codes[a] == codes[b], a == b);
}

} // namespace two_array_call_test
} // namespace swirl::api
