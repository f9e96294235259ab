#include "plan/portable/builtin.hpp"

#include "emit/cpp/builtin.hpp"
#include "formula/parse.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

namespace swirl::planning {
namespace builtin_test {

using formula::Complex;

/// Runs an entry on random lanes; the largest relative error of a lane against the definition.
template <class T> double error_of(const BuiltinEntry& entry) {
    const formula::Formula f = formula::parse(entry.formula);
    const bool complex = f.is<formula::Dft>();
    const auto n = static_cast<std::size_t>(f.rows());
    constexpr std::size_t lanes = emit::builtin_lanes;
    std::mt19937 generator(1);
    std::uniform_real_distribution<T> uniform(-1, 1);
    alignas(64) T data[4][64 * lanes] = {};
    for (T* component : {data[0], data[1]})
        for (std::size_t k = 0; k < n * lanes; ++k) component[k] = uniform(generator);
    void* const complex_buffers[] = {data[0], data[1], data[2], data[3]};
    void* const real_buffers[] = {data[0], data[2]};
    const std::int64_t vectors = lanes * sizeof(T) / 16;
    entry.function(complex ? complex_buffers : real_buffers, &vectors);
    double worst = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::vector<Complex> x;
        for (std::size_t e = 0; e < n; ++e)
            x.emplace_back(data[0][e * lanes + lane], complex ? data[1][e * lanes + lane] : 0);
        const std::vector<Complex> y = formula::apply(f, x);
        long double difference = 0, norm = 0;
        for (std::size_t e = 0; e < n; ++e) {
            difference += std::norm(Complex(data[2][e * lanes + lane], data[3][e * lanes + lane]) - y[e]);
            norm += std::norm(y[e]);
        }
        worst = std::max(worst, static_cast<double>(std::sqrt(difference / norm)));
    }
    return worst;
}

TEST(BuiltinCodelets, ComputeWhatTheRegistrySays) {
    EXPECT_EQ(builtin_entries().size(), emit::builtin_codelets().size());
    for (const BuiltinEntry& entry : builtin_entries()) {
        const bool single = entry.scalar == DataType::float32;
        EXPECT_LT(single ? error_of<float>(entry) : error_of<double>(entry), single ? 4e-7 : 8e-16)
            << entry.formula;
        EXPECT_GT(entry.flops, 0);
    }
}

TEST(BuiltinCodelets, ServeBackwardTransformsWithComponentsExchanged) {
    for (const DataType scalar : {DataType::float32, DataType::float64})
        for (Integer n = 2; n <= 64; ++n) {
            const bool exists = n <= 32 || n == 64;
            const auto forward = find_builtin(formula::DFT(n), scalar);
            const auto backward = find_builtin(formula::DFT(n, Direction::backward), scalar);
            ASSERT_EQ(forward.has_value(), exists) << n;
            ASSERT_EQ(backward.has_value(), exists) << n;
            if (!exists) continue;
            EXPECT_EQ(forward->entry, backward->entry);
            EXPECT_FALSE(forward->exchanged);
            EXPECT_TRUE(backward->exchanged);
        }
    EXPECT_FALSE(find_builtin(formula::DCT(2, 8), DataType::float64));
}

TEST(BuiltinCodelets, AreGeneratedAlikeEveryTime) {
    const auto first = emit::builtin_sources(3), second = emit::builtin_sources(3);
    ASSERT_EQ(first.size(), 4u);
    for (std::size_t k = 0; k < first.size(); ++k) {
        EXPECT_EQ(first[k].name, second[k].name);
        EXPECT_EQ(first[k].text, second[k].text);
    }
    std::ifstream file(SWIRL_BINARY_DIR "/generated/builtin_list.inc");
    std::ostringstream built;
    built << file.rdbuf();
    EXPECT_EQ(built.str(), first.back().text) << "the library holds other codelets than the generator makes";
}

TEST(BuiltinCodelets, AreWhatFormulasAreBrokenDownTo) {
    for (Integer n : {2, 33, 37, 40, 60, 62, 74, 127, 1009, 1517, 4096}) {
        for (const auto& left :
             rules::nonterminals(with_builtin_codelets(formula::DFT(n), DataType::float64)))
            EXPECT_TRUE(find_builtin(left, DataType::float64)) << n << " leaves " << left.rows();
    }
}

} // namespace builtin_test
} // namespace swirl::planning
