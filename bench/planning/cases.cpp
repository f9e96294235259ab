#include "bench/planning/cases.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace swirl::bench {
namespace {

constexpr const char* kinds[] = {"dft",  "rdft", "wht",  "wht_dyadic",   "wht_sequency", "dct1", "dct2",
                                 "dct3", "dct4", "dct5", "dct6",         "dct7",         "dct8", "dst1",
                                 "dst2", "dst3", "dst4", "dst5",         "dst6",         "dst7", "dst8",
                                 "dht",  "r2hc", "hc2r", "rconvolution", "convolution"};
constexpr const char* precisions[] = {"float64", "float32", "float16", "bfloat16"};

/// Random draws that depend only on the seed and the case's index in the sweep.
class CaseDraw {
public:
    CaseDraw(std::uint64_t seed, std::size_t section, Integer index) {
        std::seed_seq sequence{seed, seed >> 32, std::uint64_t{section}, static_cast<std::uint64_t>(index)};
        generator_.seed(sequence);
    }

    Integer between(Integer least, Integer most) {
        return std::uniform_int_distribution<Integer>(least, most)(generator_);
    }
    bool one_in(Integer count) { return between(1, count) == 1; }
    template <class Choices> auto one_of(const Choices& choices) {
        return choices[static_cast<std::size_t>(between(0, static_cast<Integer>(std::size(choices)) - 1))];
    }
    /// Log-uniform: each power of two is equally likely.
    Integer of_any_magnitude(Integer most) {
        const double bits = std::log2(static_cast<double>(most));
        return static_cast<Integer>(std::exp2(std::uniform_real_distribution<>(0, bits)(generator_)));
    }
    /// A product of primes up to 31.
    Integer smooth(Integer most) {
        constexpr Integer primes[] = {2, 2, 2, 3, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
        const Integer bound = of_any_magnitude(most);
        Integer n = 1;
        for (Integer factor = one_of(primes); n * factor <= bound; factor = one_of(primes)) n *= factor;
        return n;
    }
    /// A uniform length, a log-uniform one, one without large primes, or one with a large prime.
    Integer length(Integer most) {
        switch (between(0, 3)) {
        case 0: return between(1, most);
        case 1: return of_any_magnitude(most);
        case 2: return smooth(most);
        default: {
            const Integer large = of_any_magnitude(most);
            return large * smooth(most / large);
        }
        }
    }

private:
    std::mt19937_64 generator_;
};

/// Lengths of `rank` dimensions with at most about `most` points in total, some of them 1.
std::vector<Integer> grid(CaseDraw& draw, std::size_t rank, Integer most) {
    std::vector<Integer> lengths;
    Integer rest = draw.of_any_magnitude(most);
    for (std::size_t k = 0; k < rank; ++k) {
        const Integer length = draw.one_in(8) ? 1 : draw.length(std::max(Integer{1}, rest));
        lengths.push_back(length);
        rest = std::max(Integer{1}, rest / length);
    }
    std::rotate(lengths.begin(), lengths.begin() + draw.between(0, static_cast<Integer>(rank) - 1),
                lengths.end());
    return lengths;
}

std::string random_problem(CaseDraw& draw, std::vector<Integer> lengths) {
    const std::string kind = draw.one_of(kinds);
    if (kind.starts_with("wht"))
        for (Integer& length : lengths)
            length = static_cast<Integer>(std::bit_floor(static_cast<std::uint64_t>(length)));
    if (kind == "dct1")
        for (Integer& length : lengths) length = std::max(length, Integer{2});
    const bool transforms_complex = kind == "dft" || kind == "rdft";
    const bool in_place = draw.one_in(3);
    std::string text = fmt::format("{} {}", kind, fmt::join(lengths, "x"));
    if (transforms_complex && draw.one_in(2)) text += " backward";
    text += fmt::format(" {}", draw.one_of(precisions));
    if (in_place) text += " inplace";
    const bool may_be_planar = kind == "dft" || kind == "convolution" || (kind == "rdft" && !in_place);
    if (may_be_planar && draw.one_in(4)) text += " planar";
    Integer points = 1;
    for (const Integer length : lengths) points *= length;
    if (draw.one_in(3)) text += fmt::format(" batch={}", draw.length(std::max(Integer{2}, 65536 / points)));
    if (draw.one_in(4)) text += " scale=0.5";
    return text;
}

} // namespace

Sweep::Sweep(const SweepOptions& options) {
    for (const auto* machines : {&options.cpus, &options.gpus})
        for (const std::string& target : *machines) {
            add_every_length(target, options);
            add_random(target, options);
        }
}

void Sweep::add_every_length(const std::string& target, const SweepOptions& options) {
    const auto add = [&](const std::string& kind, const std::string& words) {
        if (kind.starts_with("wht")) {
            const Integer powers = std::bit_width(static_cast<unsigned>(options.every_length_up_to));
            sections_.push_back(
                {powers, [=](Integer index) {
                     return Case{target, fmt::format("{} {}{}", kind, Integer{1} << index, words)};
                 }});
            return;
        }
        const Integer least = kind == "dct1" ? 2 : 1;
        sections_.push_back({options.every_length_up_to, [=](Integer index) {
                                 return Case{target, fmt::format("{} {}{}", kind, index + least, words)};
                             }});
    };
    for (const std::string kind : kinds)
        for (const char* const name : precisions) {
            const std::string precision = fmt::format(" {}", name);
            add(kind, precision);
            if (kind == "rdft") add(kind, " backward" + precision);
        }
}

void Sweep::add_random(const std::string& target, const SweepOptions& options) {
    const auto add = [&](Integer size, auto lengths_of) {
        const std::size_t section = sections_.size();
        sections_.push_back({size, [=, seed = options.seed](Integer index) {
                                 CaseDraw draw(seed, section, index);
                                 const std::vector<Integer> lengths = lengths_of(draw);
                                 return Case{target, random_problem(draw, lengths)};
                             }});
    };
    add(options.random_lengths,
        [longest = options.longest](CaseDraw& draw) { return std::vector<Integer>{draw.length(longest)}; });
    for (const std::size_t rank : {2, 3, 4})
        add(options.random_grids / 3,
            [rank, most = options.largest_grid](CaseDraw& draw) { return grid(draw, rank, most); });
}

Integer Sweep::size() const {
    Integer sum = 0;
    for (const Section& section : sections_) sum += section.size;
    return sum;
}

Case Sweep::operator[](Integer index) const {
    for (const Section& section : sections_) {
        if (index < section.size) return section.at(index);
        index -= section.size;
    }
    throw InternalError("a sweep of {} cases has no case {}", size(), index);
}

} // namespace swirl::bench
