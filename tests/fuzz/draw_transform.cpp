#include "fuzz/draw_transform.hpp"

#include "problem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace swirl::fuzz {
namespace {

bool is_prime(Integer n) {
    for (Integer p = 2; p * p <= n; ++p)
        if (n % p == 0) return false;
    return n > 1;
}

Integer prime_up_to(Random& random, Integer most) {
    Integer n = random.logarithmic(2, std::max<Integer>(most, 2));
    while (!is_prime(n)) --n;
    return n;
}

Integer prime_power(Random& random, Integer most) {
    const Integer prime = random.one_of({2, 2, 3, 3, 5, 7, 11, 13, 17, 31, 37, 101});
    Integer n = 1;
    for (Integer k = random.integer(1, 12); k > 0 && n * prime <= most; --k) n *= prime;
    return n;
}

Integer product_of_small_primes(Random& random, Integer most) {
    Integer n = 1;
    for (Integer k = random.integer(1, 12); k > 0; --k) {
        const Integer prime = random.one_of({2, 2, 2, 3, 3, 5, 7, 11, 13});
        if (n * prime <= most) n *= prime;
    }
    return n;
}

Integer length_up_to(Random& random, Integer most) {
    if (most <= 1) return 1;
    switch (random.integer(0, 9)) {
    case 0: return 1;
    case 1: return prime_up_to(random, most);
    case 2: {
        const Integer prime = prime_up_to(random, most);
        return prime * random.logarithmic(1, std::max<Integer>(most / prime, 1));
    }
    case 3: // two primes, neither small if the limits allow
    {
        const Integer prime = prime_up_to(random, std::max<Integer>(most / 2, 2));
        return std::min(most, prime * prime_up_to(random, std::max<Integer>(most / prime, 2)));
    }
    case 4:
    case 5: return prime_power(random, most);
    case 6:
    case 7: return product_of_small_primes(random, most);
    default: return random.logarithmic(1, most);
    }
}

std::vector<Integer> draw_lengths(Random& random, TransformKind kind, Integer most) {
    const Integer rank = random.one_of({1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5});
    // Small ones are quick, so that there can be many.
    const Integer quick = random.chance(60) ? std::min<Integer>(most, 2048) : most;
    Integer remaining = random.logarithmic(1, quick);
    std::vector<Integer> lengths;
    for (Integer d = 0; d < rank; ++d) {
        const bool is_last = d + 1 == rank;
        const double share = is_last ? 1 : (random.uniform() + 1) / 2;
        const auto cap =
            std::max<Integer>(1, static_cast<Integer>(std::pow(static_cast<double>(remaining), share)));
        Integer n = random.chance(10) && rank > 1 ? 1 : length_up_to(random, cap);
        if (is_wht(kind))
            while ((n & (n - 1)) != 0) n &= n - 1;
        if (kind == TransformKind::dct1) n = std::max<Integer>(n, 2);
        lengths.push_back(n);
        remaining = std::max<Integer>(remaining / n, 1);
    }
    random.shuffle(lengths);
    return lengths;
}

/// A kind of transforms of reals for each dimension.
std::vector<TransformKind> draw_kinds(Random& random, const std::vector<Integer>& lengths) {
    using Kind = TransformKind;
    std::vector<TransformKind> kinds;
    for (const Integer n : lengths)
        kinds.push_back(n > 1 ? random.one_of({Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dct5,
                                               Kind::dct6, Kind::dct7, Kind::dct8, Kind::dst1, Kind::dst2,
                                               Kind::dst3, Kind::dst4, Kind::dst5, Kind::dst6, Kind::dst7,
                                               Kind::dst8, Kind::dht, Kind::r2hc, Kind::hc2r})
                              : random.one_of({Kind::wht, Kind::wht_sequency, Kind::dct2, Kind::dst1,
                                               Kind::dct4, Kind::dct8, Kind::dst6, Kind::dht}));
    return kinds;
}

double draw_scale(Random& random, Integer points) {
    switch (random.integer(0, 9)) {
    case 0: return 1 / static_cast<double>(points);
    case 1: return 0.5;
    case 2: return -random.uniform() * 3;
    case 3: return std::ldexp(random.uniform(), static_cast<int>(random.integer(-20, 20)));
    case 4: return random.chance(10) ? 0 : -1;
    default: return 1;
    }
}

/// One loop over the elements of a side.
struct DrawnLoop {
    Integer length;
    Integer* stride;
};

/// Strides without overlap: each exceeds the span of the inner ones, in random order, with random gaps and signs.
/// `first` is the innermost one's.
void lay_out(Random& random, std::vector<DrawnLoop> loops, Integer innermost, bool in_order) {
    if (!in_order) random.shuffle(loops);
    Integer stride = innermost;
    for (std::size_t k = loops.size(); k-- > 0;) {
        const DrawnLoop& loop = loops[k];
        *loop.stride = random.chance(25) ? -stride : stride;
        stride *= std::max<Integer>(loop.length, 1);
        if (random.chance(30)) stride += random.integer(1, 7);
    }
}

std::vector<DrawnLoop> loops_of(Transform& problem, bool is_input) {
    std::vector<DrawnLoop> loops;
    const bool is_half =
        problem.kind == TransformKind::real_dft && (problem.direction == Direction::forward) == !is_input;
    for (auto* axes : {&problem.batches, &problem.dimensions})
        for (Dimension& axis : *axes) {
            const bool is_last = &axis == &problem.dimensions.back();
            loops.push_back({is_half && is_last ? axis.length / 2 + 1 : axis.length,
                             is_input ? &axis.input_stride : &axis.output_stride});
        }
    return loops;
}

void copy_strides(Transform& problem) {
    for (auto* axes : {&problem.batches, &problem.dimensions})
        for (Dimension& axis : *axes) axis.output_stride = axis.input_stride;
}

/// Rows of an in-place rdft hold n/2+1 pairs, or n reals where these pairs lie.
void lay_out_real_in_place(Random& random, Transform& problem) {
    const bool forward = problem.direction == Direction::forward;
    const Integer along_row = random.one_of({1, 1, 1, -1, 2});
    Dimension& row = problem.dimensions.back();
    row.input_stride = row.output_stride = along_row;
    std::vector<DrawnLoop> loops = loops_of(problem, !forward);
    loops.pop_back();
    lay_out(random, loops, (row.length / 2 + 1) * std::abs(along_row) + random.one_of({0, 0, 1, 3}),
            random.chance(50));
    for (auto* axes : {&problem.batches, &problem.dimensions})
        for (Dimension& axis : *axes)
            if (&axis != &row)
                (forward ? axis.input_stride : axis.output_stride) =
                    2 * (forward ? axis.output_stride : axis.input_stride);
}

void draw_strides(Random& random, Transform& problem) {
    const bool in_place = problem.placement == Placement::in_place;
    if (in_place && problem.kind == TransformKind::real_dft) return lay_out_real_in_place(random, problem);
    const auto one_side = [&](bool is_input) {
        lay_out(random, loops_of(problem, is_input), random.one_of({1, 1, 1, 1, 2, 3}), random.chance(50));
    };
    if (in_place || random.chance(70)) one_side(true);
    if (!in_place && random.chance(70)) one_side(false);
    if (in_place) copy_strides(problem);
    if (!in_place && !problem.batches.empty() && random.chance(10)) // one input for a whole batch
        problem.batches[0].input_stride = 0;
    if (random.chance(95)) return;
    // Elements of the input may overlap, out of place; those of the output may lie anywhere apart.
    for (const DrawnLoop& loop : loops_of(problem, random.chance(50))) *loop.stride = random.integer(-9, 9);
    if (in_place) copy_strides(problem);
}

/// Reach of a side in elements.
double span_of(Transform& problem, bool is_input) {
    double span = 1;
    for (const DrawnLoop& loop : loops_of(problem, is_input))
        span += static_cast<double>(loop.length) * static_cast<double>(std::abs(*loop.stride));
    return span;
}

} // namespace

Transform draw_transform(Random& random, const Limits& limits) {
    using Kind = TransformKind;
    const auto kind = random.one_of(
        {Kind::dft,      Kind::dft,  Kind::dft,        Kind::dft,          Kind::real_dft, Kind::real_dft,
         Kind::real_dft, Kind::wht,  Kind::wht_dyadic, Kind::wht_sequency, Kind::dct1,     Kind::dct2,
         Kind::dct3,     Kind::dct4, Kind::dct5,       Kind::dct6,         Kind::dct7,     Kind::dct8,
         Kind::dst1,     Kind::dst2, Kind::dst3,       Kind::dst4,         Kind::dst5,     Kind::dst6,
         Kind::dst7,     Kind::dst8, Kind::dht,        Kind::r2hc,         Kind::hc2r});
    const bool is_complex = kind == Kind::dft || kind == Kind::real_dft;
    const std::vector<Integer> lengths = draw_lengths(random, kind, limits.points);
    const Integer points = std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>());
    TransformOptions options{.precision = random.one_of({DataType::float32, DataType::float64})};
    if (random.chance(30)) options.placement = Placement::in_place;
    if (is_complex && random.chance(50)) options.direction = Direction::backward;
    const bool can_be_planar = kind == Kind::dft || options.placement == Placement::out_of_place;
    if (is_complex && can_be_planar && random.chance(30)) options.layout = ComplexLayout::planar;
    options.scale = draw_scale(random, points);
    Integer remaining = std::max<Integer>(limits.elements / points, 1);
    for (Integer loops = random.one_of({0, 0, 0, 1, 1, 1, 2, 3}); loops > 0; --loops) {
        const Integer count =
            random.logarithmic(1, std::min<Integer>(remaining, random.chance(80) ? 12 : 1000));
        options.batches.push_back({.count = count});
        remaining = std::max<Integer>(remaining / count, 1);
    }
    Transform problem = is_complex || random.chance(60)
                            ? Transform::make(kind, lengths, options)
                            : Transform::mixed(draw_kinds(random, lengths), lengths, options);
    if (random.chance(40)) return problem;
    const Transform contiguous = problem;
    draw_strides(random, problem);
    const auto span = static_cast<double>(limits.span);
    return span_of(problem, true) > span || span_of(problem, false) > span ? contiguous : problem;
}

} // namespace swirl::fuzz
