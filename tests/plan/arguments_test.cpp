#include "plan/transform/arguments.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace swirl::planning {
namespace arguments_test {

/// What the precise check says, through its exception.

bool is_refused(const ArgumentCheck& check, const Arguments& arguments) {
    try {
        check(arguments);
        return false;
    } catch (const UserError&) {
        return true;
    }
}

/// Whether elements of input and output share bytes at this distance, by enumeration.
bool share_elements(const Transform& problem, std::ptrdiff_t distance) {
    std::set<std::ptrdiff_t> input;
    const auto for_each_byte = [&](Side side, auto&& f) {
        const std::vector<Axis> loops = axes(problem, side);
        const Integer bytes = element_bytes(problem, side);
        std::vector<Integer> indices(loops.size(), 0);
        while (true) {
            Integer at = 0;
            for (std::size_t k = 0; k < loops.size(); ++k) at += indices[k] * loops[k].stride;
            for (Integer byte = 0; byte < bytes; ++byte) f(at * bytes + byte);
            std::size_t k = 0;
            while (k < loops.size() && ++indices[k] == loops[k].length) indices[k++] = 0;
            if (k == loops.size()) return;
        }
    };
    for_each_byte(Side::input, [&](Integer byte) { input.insert(byte); });
    bool shares = false;
    for_each_byte(Side::output, [&](Integer byte) { shares = shares || input.count(byte + distance) > 0; });
    return shares;
}

class ArgumentChecks : public testing::Test {
protected:
    Arguments at(std::ptrdiff_t input, std::ptrdiff_t output) {
        return {.input = memory_.data() + input, .output = memory_.data() + output};
    }

    std::vector<std::byte> memory_ = std::vector<std::byte>(4096);
};

TEST_F(ArgumentChecks, AdmitWhatDoesNotOverlapAndNothingNearer) {
    for (const char* text : {"dft 8", "dft 4 in=3 out=2", "dft 4 in=-3", "rdft 10", "rdft 10 backward",
                             "dft 4 float32 batch=3:(9,4)"}) {
        const Transform problem = parse_transform(text);
        const ArgumentCheck check(problem);
        const std::ptrdiff_t step = problem.precision == DataType::float32 ? 4 : 8;
        const Extent in = extent(problem, Side::input), out = extent(problem, Side::output);
        const std::ptrdiff_t in_bytes = element_bytes(problem, Side::input);
        const std::ptrdiff_t out_bytes = element_bytes(problem, Side::output);
        int admitted = 0;
        for (std::ptrdiff_t output = 512; output < 3584; output += step) {
            const bool apart = 2048 + (in.highest + 1) * in_bytes <= output + out.lowest * out_bytes ||
                               output + (out.highest + 1) * out_bytes <= 2048 + in.lowest * in_bytes;
            EXPECT_EQ(check.admits(at(2048, output)), apart) << text << ", output at " << output - 2048;
            EXPECT_EQ(is_refused(check, at(2048, output)), share_elements(problem, output - 2048)) << text;
            admitted += apart;
        }
        EXPECT_GT(admitted, 0);
    }
}

TEST_F(ArgumentChecks, AdmitOnlyOnePointerInPlace) {
    const ArgumentCheck check(parse_transform("dft 8 inplace"));
    EXPECT_TRUE(check.admits(at(1024, 1024)));
    for (const std::ptrdiff_t output : {0, 1016, 1032, 2048}) {
        EXPECT_FALSE(check.admits(at(1024, output)));
        EXPECT_TRUE(is_refused(check, at(1024, output)));
    }
}

TEST_F(ArgumentChecks, RefuseNullAndMisalignedPointers) {
    const ArgumentCheck check(parse_transform("dft 4"));
    for (const Arguments& arguments : {Arguments{}, Arguments{.input = memory_.data()},
                                       Arguments{.output = memory_.data()}, at(4, 1024), at(0, 1025)}) {
        EXPECT_FALSE(check.admits(arguments));
        EXPECT_TRUE(is_refused(check, arguments));
    }
}

TEST_F(ArgumentChecks, RequireDisjointImaginaryComponents) {
    struct Case {
        const char* problem;
        bool input, output; ///< which sides are planar
        bool in_place;
    };
    for (const Case& c : {Case{"dft 4 planar", true, true, false}, Case{"rdft 6 planar", false, true, false},
                          Case{"rdft 6 backward planar", true, false, false},
                          Case{"dft 4 planar inplace", true, true, true}}) {
        SCOPED_TRACE(c.problem);
        const ArgumentCheck check(parse_transform(c.problem));
        Arguments right = c.in_place ? at(1024, 1024) : at(0, 1024);
        if (c.input) right.input_imaginary = memory_.data() + (c.in_place ? 3072 : 2048);
        if (c.output) right.output_imaginary = memory_.data() + 3072;
        EXPECT_TRUE(check.admits(right));
        EXPECT_FALSE(is_refused(check, right));
        const auto expect_refused = [&](const Arguments& wrong) {
            EXPECT_FALSE(check.admits(wrong));
            EXPECT_TRUE(is_refused(check, wrong));
        };
        Arguments wrong = right;
        for (const std::ptrdiff_t from_output : {0, 8, -8}) {
            wrong = right;
            if (c.input && !c.in_place) {
                wrong.input_imaginary = static_cast<std::byte*>(right.output) + from_output;
                expect_refused(wrong);
            }
            wrong = right;
            if (c.output) {
                wrong.output_imaginary = static_cast<std::byte*>(right.output) + from_output;
                expect_refused(wrong);
            }
        }
        wrong = right;
        if (c.input) wrong.input_imaginary = nullptr;
        if (c.output) wrong.output_imaginary = nullptr;
        expect_refused(wrong);
        wrong = right;
        if (c.input) wrong.input_imaginary = memory_.data() + 2049;
        if (c.output) wrong.output_imaginary = memory_.data() + 3073;
        expect_refused(wrong);
    }
}

} // namespace arguments_test
} // namespace swirl::planning
