#include "problem/validate.hpp"

#include "problem/data_type.hpp"
#include "problem/random_problem.hpp"
#include "problem/syntax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace swirl {
namespace validate_test {

TEST(Validate, AcceptsUsualAndUnusualLayouts) {
    const char* const texts[] = {
        "dft 1",
        "dft 1024",
        "dft 1021 backward float32 planar inplace batch=7",
        "dft 16x8 in=(8,1) out=(1,16)",
        "dft 16x8 inplace strides=(-8,-1)",
        "dft 1x1x1 out=(0,0,0)",
        "dft 3x2 out=(2,3)",
        "dft 16x8 out=(8,3)",
        "dft 8 in=0",
        "dft 8 batch=100:(0,8)",
        "dft 8 strides=100 batch=100:1",
        "dft 2^20 batch=3:1 strides=3 inplace",
        "dft 5x7 scale=-0.5 batch=1:9223372036854775807",
        "dft 1x7 strides=(9223372036854775807,1) inplace",
        "rdft 1",
        "rdft 1000 inplace",
        "rdft 9x10x11 inplace batch=4",
        "rdft 9x10x11 backward inplace batch=4",
        "rdft 9x10x11 planar batch=4",
        "rdft 6 inplace strides=-1 batch=3:(8,4)",
        "rdft 4 inplace strides=6 batch=3:(2,1)",
        "rdft 4x1 inplace in=(2,77) out=(1,-5)",
        "rdft 1x4 inplace in=(9223372036854775807,1) out=(9223372036854775807,1)",
        "wht 64x2",
        "dct2 7x9 inplace",
        "dst4 1",
        "dct1 2",
        "dst1 1",
        "dht 1",
        "r2hc 1",
        "hc2r,dct1,wht 7x2x1 inplace",
    };
    for (const char* text : texts) EXPECT_NO_THROW(validate(parse_transform(text))) << text;
}

/// A problem, a phrase of the first line of its error, and one of the rest.
struct Mistake {
    const char* text;
    const char* what;
    const char* remedy;
};

const Mistake mistakes[] = {
    {"dft 0", "length of dimension 0 is 0", "at least 1"},
    {"dft 8x-3", "length of dimension 1 is -3", "at least 1"},
    {"dft 8 batch=0", "count of batch 0 is 0", "at least 1"},
    {"dft 8 batch=2x-1", "count of batch 1 is -1", "at least 1"},
    {"dct1 4x1", "length of dimension 1 is 1", "at least two points"},
    {"dct2,wht 4x12", "length of dimension 1 is 12, which is not a power of two", "8 or 16"},
    {"dct2,dct1 4x1", "length of dimension 1 is 1", "at least two points"},
    {"dct2,dst3 4x4 backward", "has no direction", "leave out 'backward'"},
    {"r2hc 8 backward", "r2hc has no direction", "hc2r"},
    {"wht 4x12", "length of dimension 1 is 12, which is not a power of two", "8 or 16"},
    {"dft 8 scale=inf", "scale is inf", "finite"},
    {"dft 8 scale=nan", "scale is nan", "finite"},
    {"dft 8 scale=1/0", "scale is inf", "finite"},
    {"dct2 8 backward", "dct2 has no direction", "leave out 'backward'"},
    {"convolution 8 backward", "convolution has no direction", "leave out 'backward'"},
    {"rconvolution 8 backward", "rconvolution has no direction", "leave out 'backward'"},
    {"rconvolution 8 planar", "rconvolution transforms real data", "leave out 'planar'"},
    {"dft 8 spectrum=each", "dft has no spectrum", "leave out 'spectrum'"},
    {"wht 8 planar", "wht transforms real data", "leave out 'planar'"},
    {"rdft 8 planar inplace", "in-place rdft cannot be planar", "interleaved"},
    {"dft 2^31x2^31", "too many elements: their bytes", "up to dimension 1"},
    {"dft 2^31 batch=2^31:(0,2^31)", "too many elements", "up to dimension 0"},
    {"dft 2^62", "too many elements", "up to dimension 0"},
    {"dft 8 out=2^60", "dimension 0 (length 8, stride 1152921504606846976) takes the output beyond",
     "smaller"},
    {"dft 8 in=-2^60", "takes the input beyond the reach of a 64-bit address", "smaller"},
    {"dft 2 in=-9223372036854775808", "takes the input beyond", "smaller"},
    {"dft 8 batch=2:2^58", "batch 0 (length 2, stride 288230376151711744) takes the input beyond", "smaller"},
    {"dft 8 out=0", "output elements [0] and [1] have the same offset, 0",
     "dimension 0 (length 8, stride 0)"},
    {"dft 16x8 out=(6,3)", "have the same offset",
     "dimension 0 (length 16, stride 6) and dimension 1 (length 8, "},
    {"dft 8 batch=3:(8,4)", "of batch [", "batch 0 (length 3, stride 4) and dimension 0"},
    {"dft 16x8 inplace strides=(6,3)", "have the same offset", "problem: dft 16x8 inplace strides=(6,3)"},
    {"dft 16x8 inplace in=(8,1) out=(1,16)", "dimension 0 has input stride 8 and output stride 1",
     "strides=…"},
    {"dft 8 inplace batch=2:(8,16)", "batch 0 has input stride 8 and output stride 16", "out-of-place"},
    {"rdft 8x8 inplace in=(8,1) out=(5,1)", "stride 8 for the reals and 5 for the spectrum", "use 10"},
    {"rdft 8 inplace batch=2:(8,5)", "batch 0 has stride 8 for the reals", "use 10"},
    {"rdft 8 inplace in=2 out=1", "input stride 2 and output stride 1", "the same"},
    {"rdft 4 inplace strides=4 batch=3:(2,1)", "rows of the in-place rdft overlap", "2(n/2+1)"},
    {"rdft 8 inplace backward batch=2:(4,8)", "rows of the in-place rdft overlap", "2(n/2+1)"},
};

TEST(Validate, ReportsErrorProblemAndRemedy) {
    for (const Mistake& mistake : mistakes) {
        const Transform problem = parse_transform(mistake.text);
        try {
            validate(problem);
            ADD_FAILURE() << mistake.text;
        } catch (const UserError& error) {
            const std::string message = error.what();
            const std::size_t first_line = message.find('\n');
            EXPECT_NE(message.substr(0, first_line).find(mistake.what), std::string::npos) << message;
            EXPECT_NE(message.find(mistake.remedy, first_line), std::string::npos) << message;
            EXPECT_NE(message.find("\n  problem: " + to_text(problem) + "\n  "), std::string::npos)
                << message;
        }
    }
}

TEST(Validate, TransformsAreOfFloatingPointComponents) {
    const auto error = [](DataType type) {
        Transform problem = Transform::dft({8});
        problem.precision = type;
        try {
            validate(problem);
            return std::string();
        } catch (const UserError& refused) {
            return std::string(refused.what());
        }
    };
    for (const DataType type : transform_types) EXPECT_EQ(error(type), "") << name_of(type);
    EXPECT_EQ(error(DataType::int32),
              "precision is int32\n  problem: dft 8 int32\n  use float64, float32, "
              "float16 or bfloat16");
    EXPECT_EQ(error(DataType::complex64),
              "precision is complex64\n  problem: dft 8 complex64\n  it is that of a "
              "component: for elements of complex64 use float32");
}

TEST(Validate, NamesAProblemWithoutDimensions) {
    EXPECT_THROW(validate(Transform{}), UserError);
    EXPECT_THROW(validate(Transform::dft({})), UserError);
}

/// Offsets of all elements of a side, in units of one real where the problem is in place.
std::vector<Integer> offsets(const Transform& problem, Side side) {
    std::vector<Integer> result{0};
    for (const Axis& axis : axes(problem, side)) {
        std::vector<Integer> next;
        for (const Integer offset : result)
            for (Integer i = 0; i < axis.length; ++i) next.push_back(offset + i * axis.stride);
        result = next;
    }
    return result;
}

/// Whether, in place, every row owns the reals that it reads and writes.
bool rows_are_apart(const Transform& problem) {
    std::map<Integer, std::size_t> owner;
    for (const Side side : {Side::input, Side::output}) {
        const std::vector<Integer> elements = offsets(problem, side);
        const Integer width = is_complex(problem, side) ? 2 : 1;
        const auto row =
            static_cast<std::size_t>(stored_length(problem, problem.dimensions.size() - 1, side));
        for (std::size_t i = 0; i < elements.size(); ++i)
            for (Integer byte = 0; byte < width; ++byte) {
                const auto [at, is_new] = owner.try_emplace(elements[i] * width + byte, i / row);
                if (!is_new && at->second != i / row) return false;
            }
    }
    return true;
}

TEST(Validate, AcceptsOnlyWhatEnumerationFindsDisjoint) {
    RandomProblems random(3);
    int accepted = 0, in_place = 0;
    for (int i = 0; i < 6000; ++i) {
        Transform problem = random();
        problem.precision = DataType::float32;
        try {
            validate(problem);
        } catch (const UserError&) {
            continue;
        }
        ++accepted;
        std::vector<Integer> output = offsets(problem, Side::output);
        std::sort(output.begin(), output.end());
        EXPECT_EQ(std::adjacent_find(output.begin(), output.end()), output.end()) << to_text(problem);
        EXPECT_EQ(output.front(), extent(problem, Side::output).lowest);
        EXPECT_EQ(output.back(), extent(problem, Side::output).highest);
        if (problem.placement == Placement::out_of_place) continue;
        ++in_place;
        EXPECT_TRUE(rows_are_apart(problem)) << to_text(problem);
    }
    EXPECT_GT(accepted, 300);
    EXPECT_GT(in_place, 30);
}

TEST(Validate, AcceptsKindsOfDimensionsOfMixedTransformsAlone) {
    using Kind = TransformKind;
    const auto error = [](const Transform& problem) -> std::string {
        try {
            validate(problem);
        } catch (const UserError& refused) {
            return refused.what();
        }
        return "none";
    };
    const Transform mixed = Transform::mixed({Kind::dct2, Kind::dst3}, {4, 5});
    EXPECT_EQ(error(mixed), "none");
    EXPECT_EQ(Transform::mixed({Kind::dht, Kind::dht}, {4, 5}), Transform::make(Kind::dht, {4, 5}));

    Transform wrong = mixed;
    wrong.kind = Kind::dct2;
    EXPECT_NE(error(wrong).find("leave them out"), std::string::npos) << error(wrong);
    wrong = mixed;
    wrong.kinds.pop_back();
    EXPECT_NE(error(wrong).find("1 kinds for 2 dimensions"), std::string::npos) << error(wrong);
    wrong.kinds.push_back(Kind::dft);
    EXPECT_NE(error(wrong).find("the kind of dimension 1 is dft"), std::string::npos) << error(wrong);
    wrong.kinds.back() = Kind::dct2;
    EXPECT_NE(error(wrong).find("use TransformKind::dct2"), std::string::npos) << error(wrong);
    EXPECT_THROW(Transform::mixed({Kind::dct2}, {4, 5}), UserError);
}

TEST(Validate, AcceptsEveryDefaultLayout) {
    for (const auto& kind : kind_words) {
        if (has_formula(kind.value)) continue; // their lengths are those of their formulas
        for (const auto& direction : direction_words)
            for (const auto& placement : placement_words)
                for (Integer n = 1; n <= 9; ++n) {
                    const bool directed =
                        kind.value == TransformKind::dft || kind.value == TransformKind::real_dft;
                    if (!directed && direction.value == Direction::backward) continue;
                    if (is_wht(kind.value) && (n & (n - 1)) != 0) continue;
                    if (kind.value == TransformKind::dct1 && n == 1) continue;
                    const Transform problem = Transform::make(kind.value, {4, n},
                                                              {.direction = direction.value,
                                                               .placement = placement.value,
                                                               .batches = {{.count = 2}, {.count = 3}}});
                    EXPECT_NO_THROW(validate(problem)) << to_text(problem);
                }
    }
}

} // namespace validate_test
} // namespace swirl
