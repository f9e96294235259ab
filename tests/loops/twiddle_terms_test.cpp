// Factors of long loops as products of entries of small tables.

#include "loops/twiddle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <map>
#include <random>

namespace swirl::loops {
namespace twiddle_terms_test {

using namespace formula;

Integer value_of_digit(const LoopDigit& digit, Integer variable) {
    return digit.is_highest ? variable / digit.divisor : variable / digit.divisor % digit.count;
}

/// Expects the product of the terms to be the twiddle, and each term to have few values.
void expect_product_of_few(const Twiddle& twiddle, const Extents& extents, Integer most,
                           const std::vector<Twiddle>& terms_of_twiddle, const DigitTerms& terms) {
    EXPECT_GT(terms_of_twiddle.size(), 1U);
    for (const Twiddle& term : terms_of_twiddle) EXPECT_LE(combinations(term, terms.extents()), most);
    std::mt19937 random(7);
    DiagonalValues values;
    for (int round = 0; round < 200; ++round) {
        std::map<Variable, Integer> at;
        for (const Variable v : twiddle.variables)
            at[v] = round == 0 ? extents[v] - 1
                               : std::uniform_int_distribution<Integer>(0, extents[v] - 1)(random);
        for (const LoopDigit& digit : terms.digits()) {
            at[digit.symbol] = value_of_digit(digit, at.at(digit.variable));
            EXPECT_LT(at[digit.symbol], digit.count);
        }
        const IndexTable::Lookup lookup = [&](Variable v) { return at.count(v) ? at[v] : Integer{0}; };
        Complex product = 1;
        for (const Twiddle& term : terms_of_twiddle) product *= loops::value_of(term, lookup, values);
        if (twiddle.limit && twiddle.limit->evaluate(lookup) >= 0) continue; // any value will do
        EXPECT_LT(std::abs(product - loops::value_of(twiddle, lookup, values)), 1e-17L);
    }
}

void expect_product_of_few(const Twiddle& twiddle, const Extents& extents, Integer most) {
    DigitTerms terms(extents, most);
    const std::vector<Twiddle> terms_of_twiddle = terms.terms_of(twiddle);
    expect_product_of_few(twiddle, extents, most, terms_of_twiddle, terms);
}

Extents extents_of(std::initializer_list<Integer> counts) {
    Extents extents;
    Variable variable = 0;
    for (const Integer count : counts) extents.set(variable++, count);
    return extents;
}

TEST(FactorTerms, LongTwiddleLoopsSplitIntoDigits) {
    for (const Integer count : {Integer{4782969}, Integer{1} << 20}) { // ω^{x·y}, x of 64
        const Extents extents = extents_of({count, 64});
        const TwiddleFunction twiddle_function{64 * count, {count, 64}, {1, count}, Direction::forward};
        const FoldedDiagonal met{{twiddle_function, IndexMap::identity(64 * count)},
                                 Affine::of(0) + Affine::of(1, count)};
        const Twiddle twiddle = twiddle_of({met}, extents);
        expect_product_of_few(twiddle, extents, Integer{1} << 18);
        expect_product_of_few(twiddle, extents, 1 << 12); // digits of digits
    }
}

TEST(FactorTerms, OneTermKeepsTheCallersArray) {
    const Extents extents = extents_of({1024, 2048});
    const TwiddleFunction twiddle_function{1 << 21, {2048, 1024}, {1, 2048}, Direction::forward};
    const FoldedDiagonal root{{twiddle_function, IndexMap::identity(1 << 21)},
                              Affine::of(0, 2048) + Affine::of(1)};
    Twiddle twiddle = twiddle_of({root}, extents);
    twiddle.auxiliary.push_back({.re = Affine::of(1), .im = Affine::of(1), .diagonals = {}, .table = {}});
    expect_product_of_few(twiddle, extents, 1 << 10);
    DigitTerms terms(extents, 1 << 10);
    std::size_t arrays = 0;
    for (const Twiddle& term : terms.terms_of(twiddle)) arrays += term.auxiliary.size();
    EXPECT_EQ(arrays, 1U);
}

TEST(FactorTerms, LoopsThatRunPastALimitSplit) {
    const auto expect_split = [](Integer length, Integer blocks, Integer columns, Integer most) {
        constexpr Integer chunk = 512;
        const Extents extents =
            extents_of({blocks, chunk, columns}); // blocks of a loop over the length, and more
        const TwiddleFunction twiddle_function{
            length * columns, {columns, length}, {1, columns}, Direction::forward};
        const Affine along = Affine::of(0, chunk) + Affine::of(1);
        const FoldedDiagonal root{{twiddle_function, IndexMap::identity(length * columns)},
                                  columns * along + Affine::of(2)};
        const FoldedDiagonal chirp{{ChirpFunction{length, Direction::forward}, IndexMap::identity(length)},
                                   along};
        for (const auto& diagonals :
             {std::vector<FoldedDiagonal>{root}, std::vector<FoldedDiagonal>{chirp, root}}) {
            Twiddle twiddle = twiddle_of(diagonals, extents);
            limit_to(twiddle, Affine::of(0) - length / chunk);
            expect_product_of_few(twiddle, extents, most);
        }
    };
    expect_split(3559, 7, 11833, Integer{1} << 18);
    expect_split(3559, 9, 11833, Integer{1} << 18);
    expect_split(100003, 230, 64, 1 << 12); // blocks by digits
}

Twiddle chirp_at(const Affine& index, const Extents& extents) {
    constexpr Integer n = 100000007;
    const ChirpFunction chirp{n, Direction::backward};
    return twiddle_of({FoldedDiagonal{{chirp, IndexMap::identity(n)}, index}}, extents);
}

TEST(FoldedChirps, OfOneIndexAreMultiplied) {
    constexpr Integer n = 1009;
    const Extents extents = extents_of({n - 9});
    const auto met = [&](Direction direction, Integer first) {
        return FoldedDiagonal{{ChirpFunction{n, direction}, IndexMap::identity(n)}, Affine::of(0) + first};
    };
    const FoldedDiagonal forward = met(Direction::forward, 5), backward = met(Direction::backward, 5),
                         later = met(Direction::backward, 6);
    EXPECT_TRUE(twiddle_of({forward, backward}, extents).is_one());
    EXPECT_EQ(twiddle_of({forward, later}, extents).varying.size(), 2U);
    const Twiddle square = twiddle_of({backward, backward, forward, backward}, extents);
    EXPECT_EQ(square.varying.size(), 1U);
    DiagonalValues values;
    for (const Integer i : {Integer{0}, Integer{7}, n - 10}) {
        const IndexTable::Lookup lookup = [&](Variable) { return i; };
        const Complex chirp = diagonal_value(ChirpFunction{n, Direction::backward}, i + 5);
        EXPECT_LT(std::abs(loops::value_of(square, lookup, values) - chirp * chirp), 1e-18L);
    }
}

TEST(FactorTerms, LongChirpsSplit) {
    const Extents extents = extents_of({16384, 768});
    const Twiddle twiddle = chirp_at(Affine::of(0) + Affine::of(1, 16384) + 88, extents);
    expect_product_of_few(twiddle, extents, Integer{1} << 18);
    expect_product_of_few(twiddle, extents, 1 << 10);
    const Extents one = extents_of({1 << 22});
    expect_product_of_few(chirp_at(Affine::of(0) + 5, one), one, 1 << 16);
}

TEST(FactorTerms, LongChirpTermsDependOnTwoLoopsEach) {
    constexpr Integer most = Integer{1} << 18;
    const Extents extents = extents_of({208, 224, 231});
    const Twiddle chirp =
        chirp_at(Affine::of(0) + Affine::of(1, 208) + Affine::of(2, 208 * 224) + 5, extents);
    ASSERT_TRUE(is_long_chirp(chirp, extents));
    expect_product_of_few(chirp, extents, most, twiddle_terms(chirp, extents, most),
                          DigitTerms(extents, most));
    const Twiddle shorter = chirp_at(Affine::of(0) + Affine::of(1, 208), extents_of({208, 5041}));
    EXPECT_FALSE(is_long_chirp(shorter, extents_of({208, 5041})));
    EXPECT_EQ(twiddle_terms(shorter, extents_of({208, 5041}), most).size(), 1U);
}

TEST(FactorTerms, OfChirpsAreSharedByEntries) {
    const Extents extents = extents_of({16384, 384});
    const Affine form = Affine::of(0) + Affine::of(1, 16384);
    std::vector<Twiddle> twiddles;
    for (Integer entry = 0; entry < 8; ++entry) twiddles.push_back(chirp_at(form + entry * 6291456, extents));
    twiddles.emplace_back(); // nothing
    const TwiddleGroups groups = twiddle_groups(twiddles, true, true, extents, Roots::by_size);
    Extents all = extents;
    for (const LoopDigit& digit : groups.digits) all.set(digit.symbol, digit.count);
    Integer entries = 0;
    for (const Twiddle& twiddle : groups.twiddles) entries += combinations(twiddle, all);
    EXPECT_LT(entries, 500000); // of 50331648
    DiagonalValues values;
    for (const Integer index : {Integer{0}, Integer{1}, Integer{777777}, Integer{6291455}}) {
        std::map<Variable, Integer> at{{0, index % 16384}, {1, index / 16384}};
        for (const LoopDigit& digit : groups.digits)
            at[digit.symbol] = value_of_digit(digit, at.at(digit.variable));
        const IndexTable::Lookup lookup = [&](Variable v) { return at.at(v); };
        for (std::size_t entry = 0; entry < twiddles.size(); ++entry) {
            Complex product = 1;
            for (const auto& group : groups.of_entry[entry])
                for (const std::size_t twiddle : group)
                    product *= loops::value_of(groups.twiddles[twiddle], lookup, values);
            EXPECT_LT(std::abs(product - loops::value_of(twiddles[entry], lookup, values)), 1e-17L);
        }
    }
}

} // namespace twiddle_terms_test
} // namespace swirl::loops
