#include "formula/index_map.hpp"

#include "formula/digits.hpp"
#include "formula/progressions.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace swirl::formula {

namespace {

__extension__ using Wide = __int128;

Integer power_modulo(Integer base, Integer exponent, Integer modulus) {
    Wide result = 1 % modulus, square = modulo(base, modulus);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result = result * square % modulus;
        square = square * square % modulus;
    }
    return static_cast<Integer>(result);
}

void check(const DigitMap& map, Integer domain, Integer range) {
    ensure(map.radices.size() == map.strides.size(), "digit map with {} radices but {} strides",
           map.radices.size(), map.strides.size());
    Integer product = 1;
    for (const Integer radix : map.radices) {
        const auto next = checked_multiply(product, radix);
        ensure(radix >= 1 && next, "digit map with radix {} on a domain of {}", radix, domain);
        product = *next;
    }
    ensure(product == domain, "digit map with radices of product {} on a domain of {}", product, domain);
    if (map.modulus != 0) {
        ensure(map.modulus > 0 && map.modulus <= range, "digit map with modulus {} into a range of {}",
               map.modulus, range);
        return;
    }
    const auto [least, greatest] = bounds(map, map.base.constant());
    ensure(least >= 0 && greatest < range, "digit map reaches {}…{}, outside its range of {}", least,
           greatest, range);
}

void check(const PowerMap& map, Integer, Integer range) {
    ensure(map.prime >= 2 && map.prime <= range, "power map modulo {} into a range of {}", map.prime, range);
    ensure(map.generator % map.prime != 0, "power map with generator {} modulo {}", map.generator, map.prime);
}

void check(const TableMap& map, Integer domain, Integer range) {
    ensure(map.table != nullptr && static_cast<Integer>(map.table->size()) == domain,
           "index table of {} entries on a domain of {}", map.table ? map.table->size() : 0, domain);
    for (const Integer value : *map.table)
        ensure(value >= 0 && value < range, "index table reaches {}, outside its range of {}", value, range);
}

void check(const PiecewiseMap& map, Integer domain, Integer range) {
    Integer sum = 0;
    for (const DigitMap& piece : map.pieces) {
        ensure(piece.base.is_constant(), "a piece of an index map names variables");
        check(piece, domain_of(piece), range);
        sum += domain_of(piece);
    }
    ensure(sum == domain, "pieces of {} entries on a domain of {}", sum, domain);
}

Integer constant_of(const Affine& base, const IndexMap::Environment& environment) {
    return environment ? base.evaluate(environment) : base.constant();
}

Integer value_of(const DigitMap& digits, Integer i, const IndexMap::Environment& environment) {
    Integer value = constant_of(digits.base, environment);
    for (std::size_t q = digits.radices.size(); q-- > 0; i /= digits.radices[q])
        value += digits.strides[q] * (i % digits.radices[q]);
    return digits.modulus == 0 ? value : modulo(value, digits.modulus);
}

/// The values at all indices; throws if one lies outside 0…range−1.
std::vector<Integer> values_of(const DigitMap& digits, Integer range,
                               const IndexMap::Environment& environment) {
    std::vector<Integer> result;
    result.reserve(static_cast<std::size_t>(domain_of(digits)));
    result.push_back(constant_of(digits.base, environment));
    if (digits.modulus == 0) {
        const auto [least, greatest] = bounds(digits, result.front());
        ensure(least >= 0 && greatest < range, "index map reaches {}…{}, outside its range of {}", least,
               greatest, range);
    }
    for (std::size_t q = digits.radices.size(); q-- > 0;) {
        const std::size_t inner = result.size();
        for (Integer d = 1; d < digits.radices[q]; ++d)
            for (std::size_t i = 0; i < inner; ++i) result.push_back(result[i] + d * digits.strides[q]);
    }
    if (digits.modulus != 0)
        for (Integer& value : result) value = modulo(value, digits.modulus);
    return result;
}

} // namespace

Integer domain_of(const DigitMap& map) {
    return std::accumulate(map.radices.begin(), map.radices.end(), Integer{1}, std::multiplies<>());
}

bool has_separate_digits(const IndexMap& map) {
    const auto* digits = std::get_if<DigitMap>(&map.kind());
    if (digits == nullptr || digits->modulus != 0) return false;
    std::vector<std::pair<Integer, Integer>> sorted; // stride, radix
    for (std::size_t q = 0; q < digits->radices.size(); ++q)
        if (digits->radices[q] > 1) sorted.emplace_back(std::abs(digits->strides[q]), digits->radices[q]);
    std::sort(sorted.begin(), sorted.end());
    Integer reach = 0;
    for (const auto& [stride, radix] : sorted) {
        if (stride <= reach) return false;
        reach += stride * (radix - 1);
    }
    return true;
}

std::pair<Integer, Integer> bounds(const DigitMap& map, Integer base) {
    Integer least = base, greatest = base;
    for (std::size_t q = 0; q < map.radices.size(); ++q)
        (map.strides[q] < 0 ? least : greatest) += map.strides[q] * (map.radices[q] - 1);
    return {least, greatest};
}

IndexMap::IndexMap(Integer domain, Integer range, Kind kind)
    : domain_(domain), range_(range), kind_(std::move(kind)) {
    ensure(domain >= 1 && range >= 1, "index map {} → {}: both must be positive", domain, range);
    std::visit([&](const auto& map) { check(map, domain_, range_); }, kind_);
}

IndexMap IndexMap::identity(Integer n) { return strided(n, n, 0, 1); }

IndexMap IndexMap::strided(Integer domain, Integer range, const Affine& base, Integer stride) {
    return {domain, range, DigitMap{{domain}, {stride}, base}};
}

IndexMap IndexMap::stride_permutation(Integer size, Integer stride) {
    ensure(stride >= 1 && size >= 1 && size % stride == 0,
           "stride permutation of size {} with stride {}: the stride must divide the size", size, stride);
    return {size, size, DigitMap{{stride, size / stride}, {1, stride}}};
}

IndexMap IndexMap::reversal(Integer n) { return strided(n, n, n - 1, -1); }

IndexMap IndexMap::table(std::vector<Integer> values, Integer range) {
    const auto domain = static_cast<Integer>(values.size());
    return {domain, range, TableMap{std::make_shared<const std::vector<Integer>>(std::move(values))}};
}

IndexMap IndexMap::piecewise(std::vector<DigitMap> pieces, Integer range) {
    Integer domain = 0;
    std::erase_if(pieces, [](const DigitMap& piece) { return domain_of(piece) == 0; });
    for (const DigitMap& piece : pieces) domain += domain_of(piece);
    if (pieces.size() == 1) return {domain, range, std::move(pieces.front())};
    return {domain, range, PiecewiseMap{std::move(pieces)}};
}

bool IndexMap::has_variables() const {
    const auto* digits = std::get_if<DigitMap>(&kind_);
    return digits && !digits->base.is_constant();
}

bool IndexMap::is_identity() const {
    if (domain_ != range_ || has_variables() || std::holds_alternative<PowerMap>(kind_)) return false;
    if (const auto* table = std::get_if<TableMap>(&kind_)) {
        for (Integer i = 0; i < domain_; ++i)
            if ((*table->table)[static_cast<std::size_t>(i)] != i) return false;
        return true;
    }
    if (const auto* pieces = std::get_if<PiecewiseMap>(&kind_)) {
        Integer begin = 0;
        for (const DigitMap& piece : pieces->pieces) {
            if (merged(piece) != merged({{domain_of(piece)}, {1}, begin})) return false;
            begin += domain_of(piece);
        }
        return true;
    }
    return canonical() == identity(domain_).canonical();
}

Integer IndexMap::operator()(Integer i, const Environment& environment) const {
    ensure(i >= 0 && i < domain_, "index {} outside the map's domain of {}", i, domain_);
    if (const auto* digits = std::get_if<DigitMap>(&kind_)) return value_of(*digits, i, environment);
    if (const auto* pieces = std::get_if<PiecewiseMap>(&kind_)) {
        auto piece = pieces->pieces.begin();
        for (; i >= domain_of(*piece); ++piece) i -= domain_of(*piece);
        return value_of(*piece, i, environment);
    }
    if (const auto* power = std::get_if<PowerMap>(&kind_))
        return power_modulo(power->generator, i, power->prime);
    return (*std::get<TableMap>(kind_).table)[static_cast<std::size_t>(i)];
}

std::vector<Integer> IndexMap::values(const Environment& environment) const {
    if (const auto* table = std::get_if<TableMap>(&kind_)) return *table->table;
    std::vector<Integer> result;
    result.reserve(static_cast<std::size_t>(domain_));
    if (const auto* power = std::get_if<PowerMap>(&kind_)) {
        Wide value = 1 % power->prime;
        for (Integer i = 0; i < domain_;
             ++i, value = value * modulo(power->generator, power->prime) % power->prime)
            result.push_back(static_cast<Integer>(value));
        return result;
    }
    if (const auto* pieces = std::get_if<PiecewiseMap>(&kind_)) {
        for (const DigitMap& piece : pieces->pieces) {
            const std::vector<Integer> values = values_of(piece, range_, environment);
            result.insert(result.end(), values.begin(), values.end());
        }
        return result;
    }
    return values_of(std::get<DigitMap>(kind_), range_, environment);
}

std::size_t IndexMap::hash() const {
    std::size_t seed = hash_of(domain_, range_, kind_.index());
    const auto add = [&](Integer word) { seed = mix_hash(seed, static_cast<std::uint64_t>(word)); };
    const auto add_digits = [&](const DigitMap& digits) {
        for (const Integer radix : digits.radices) add(radix);
        for (const Integer stride : digits.strides) add(stride);
        add(digits.modulus);
        seed = mix_hash(seed, digits.base.hash());
    };
    if (const auto* digits = std::get_if<DigitMap>(&kind_)) {
        add_digits(*digits);
        return seed;
    }
    if (const auto* pieces = std::get_if<PiecewiseMap>(&kind_)) {
        for (const DigitMap& piece : pieces->pieces) add_digits(piece);
        return seed;
    }
    if (const auto* power = std::get_if<PowerMap>(&kind_))
        return hash_of(seed, power->generator, power->prime);
    for (const Integer value : *std::get<TableMap>(kind_).table) add(value);
    return seed;
}

bool IndexMap::is_permutation() const {
    if (domain_ != range_) return false;
    if (const auto* digits = std::get_if<DigitMap>(&kind_))
        return digits->modulus == 0 ? is_permutation_of_interval(*digits, domain_)
                                    : digits->modulus == domain_ && is_permutation_modulo(*digits);
    if (std::holds_alternative<PowerMap>(kind_)) return false; // never 0
    if (const auto missed = missed_progressions(*this)) return missed->empty();
    std::vector<bool> seen(static_cast<std::size_t>(domain_));
    for (const Integer value : values()) seen[static_cast<std::size_t>(value)] = true;
    return std::all_of(seen.begin(), seen.end(), [](bool reached) { return reached; });
}

} // namespace swirl::formula
