#include "search/candidates/cpu/measured_children.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace swirl::search {
namespace measured_children_test {

/// With 12 and 24 points broken down as measured.
std::string with_measured(const formula::Formula& transform, const char* tree) {
    return rules::to_string(with_measured_children(transform, rules::parse_tree(tree),
                                                   [](Integer n) -> std::optional<rules::BreakdownTree> {
                                                       if (n == 12) return rules::parse_tree("stockham(6,2)");
                                                       if (n == 24) return rules::parse_tree("stockham(3,8)");
                                                       return std::nullopt;
                                                   }));
}

TEST(MeasuredChildren, ReplaceTheTransformsOfConvolutions) {
    EXPECT_EQ(with_measured(formula::DFT(13), "rader[stockham(4,3), stockham(4,3)]"),
              "rader[stockham(6,2), stockham(6,2)]");
    EXPECT_EQ(with_measured(formula::DFT(11), "bluestein(24)[stockham(12,2), stockham(12,2)]"),
              "bluestein(24)[stockham(3,8), stockham(3,8)]");
    EXPECT_EQ(with_measured(formula::DFT(7), "rader[stockham(3,2), stockham(3,2)]"),
              "rader[stockham(3,2), stockham(3,2)]")
        << "not measured";
}

TEST(MeasuredChildren, ReplaceTheComplexHalfOfARealTransform) {
    EXPECT_EQ(with_measured(formula::RDFT(48), "rdft-half-size[stockham(4,6)]"),
              "rdft-half-size[stockham(3,8)]");
}

TEST(MeasuredChildren, AreFoundWithinOtherRulesWhoseOwnChildrenStay) {
    EXPECT_EQ(
        with_measured(formula::DFT(13 * 12), "stockham(13,12)[codelet, rader[stockham(4,3), stockham(4,3)]]"),
        "stockham(13,12)[codelet, rader[stockham(6,2), stockham(6,2)]]");
    EXPECT_EQ(with_measured(formula::DFT(288), "stockham(12,24)"), "stockham(12,24)");
}

} // namespace measured_children_test
} // namespace swirl::search
