#include "cli/draw.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"
#include "rules/number_theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>

namespace swirl::cli {
namespace {

/// Random numbers independent of the standard library, unlike its distributions.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform() { return std::ldexp(static_cast<double>(engine_() >> 11U), -53); } ///< in [0, 1)
    bool with_probability(double p) { return uniform() < p; }
    double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
    template <class Range> const auto& one_of(const Range& range) {
        return range[static_cast<std::size_t>(uniform() * static_cast<double>(std::size(range)))];
    }

private:
    std::mt19937_64 engine_;
};

bool has_no_prime_above(Integer largest, Integer n) {
    for (Integer p = 2; p <= largest; ++p)
        while (n % p == 0) n /= p;
    return n == 1;
}

bool is_round(Integer n) {
    while (n >= 100 && n % 10 == 0) n /= 10;
    return n < 100;
}

/// The number of this kind that is nearest to x, from 2 to the limit.
template <class IsOne> Integer nearest(double x, Integer limit, const IsOne& is_one) {
    const auto from = std::clamp<Integer>(std::llround(x), 2, limit);
    for (Integer distance = 0;; ++distance) {
        if (from + distance <= limit && is_one(from + distance)) return from + distance;
        if (from - distance >= 2 && is_one(from - distance)) return from - distance;
        if (from + distance > limit && from - distance < 2) return from;
    }
}

Integer length(Random& random, double low, double high) {
    const double x = random.log_uniform(low, std::max(low, high)), kind = random.uniform();
    const auto limit = static_cast<Integer>(std::max(low, high));
    if (kind < 0.2) return nearest(x, limit, [](Integer n) { return (n & (n - 1)) == 0; });
    if (kind < 0.6) return nearest(x, limit, [](Integer n) { return has_no_prime_above(7, n); });
    if (kind < 0.7) return nearest(x, limit, [](Integer n) { return has_no_prime_above(13, n); });
    if (kind < 0.8) return nearest(x, limit, is_round);
    if (kind < 0.9) return nearest(x, limit, [](Integer n) { return rules::is_prime(n); });
    return nearest(x, limit, [](Integer n) { return n % 2 == 1; });
}

/// Types with the weights of a draw without types.
std::vector<DataType> usual_types(const Draw& draw) {
    using enum DataType;
    if (!draw.on_gpu) return {float64, float32};
    if (draw.kind != ProblemKind::products) return {float32, float32, float32, float64};
    return {float32, float32, float32, float32, float64, bfloat16, bfloat16, float16};
}

class Transforms {
public:
    Transforms(const Draw& draw, Random& random)
        : random_(random),
          on_gpu_(draw.on_gpu),
          points_(static_cast<double>(draw.largest > 0 ? draw.largest : Integer{1} << (on_gpu_ ? 24 : 22))) {}

    Transform operator()(DataType type) {
        const double kind = 16 * random_.uniform();
        TransformOptions options{.precision = type};
        if (kind < 6) {
            if (random_.with_probability(0.25)) options.direction = Direction::backward;
            if (random_.with_probability(0.25)) options.placement = Placement::in_place;
            return perhaps_filled(TransformKind::dft, {length(random_, 4, points_)}, options);
        }
        if (kind < 8) return perhaps_filled(TransformKind::real_dft, {length(random_, 4, points_)}, options);
        if (kind < 9) {
            options.direction = Direction::backward;
            return perhaps_filled(TransformKind::real_dft, {length(random_, 4, points_)}, options);
        }
        if (kind < 11) return perhaps_filled(TransformKind::dft, cube(2), options);
        if (kind < 12) return perhaps_filled(TransformKind::real_dft, cube(2), options);
        if (kind < 13) return perhaps_filled(TransformKind::dft, cube(3), options);
        const Integer n = length(random_, 4, std::sqrt(points_));
        Integer count = length(random_, 2, points_ / static_cast<double>(n));
        options.batches = {{.count = count}};
        if (kind < 15) return Transform::make(TransformKind::dft, {n}, options);
        constexpr Integer fewest = 2, most_of_few = 5;
        if (kind >= 15.5)
            count = fewest + static_cast<Integer>((kind - 15.5) * 2 * (most_of_few - fewest + 1));
        options.input_strides = options.output_strides = {count};
        options.batches = {{.count = count, .input_stride = 1, .output_stride = 1}};
        return Transform::make(TransformKind::dft, {n}, options);
    }

private:
    std::vector<Integer> cube(int dimensions) {
        std::vector<Integer> lengths;
        for (int d = 0; d < dimensions; ++d)
            lengths.push_back(length(random_, 4, std::pow(points_, 1.0 / dimensions)));
        return lengths;
    }
    Transform perhaps_filled(TransformKind kind, const std::vector<Integer>& lengths,
                             TransformOptions options) {
        double points = 1;
        for (const Integer n : lengths) points *= static_cast<double>(n);
        const auto count = static_cast<Integer>(points_ / points);
        if (on_gpu_ && random_.with_probability(0.75) && count > 1) options.batches = {{.count = count}};
        return Transform::make(kind, lengths, options);
    }

    Random& random_;
    bool on_gpu_;
    double points_;
};

class Signals {
public:
    Signals(const Draw& draw, Random& random)
        : random_(random), points_(static_cast<double>(draw.largest > 0 ? draw.largest : Integer{1} << 20)) {}

    Transform operator()(DataType type) {
        const double kind = 12 * random_.uniform();
        const TransformOptions options{.precision = type};
        const auto made = [&](TransformKind of, Integer n) { return Transform::make(of, {n}, options); };
        if (kind < 2) return made(TransformKind::real_convolution, length(random_, 4, points_));
        if (kind < 3) return made(TransformKind::convolution, length(random_, 4, points_));
        if (kind < 5) return wavelet_transform(type);
        if (kind < 7) return frames(type);
        if (kind < 8) {
            constexpr TransformKind orders[] = {TransformKind::wht, TransformKind::wht_dyadic,
                                                TransformKind::wht_sequency};
            const TransformKind drawn = random_.one_of(orders);
            return made(drawn, Integer{1} << static_cast<int>(std::log2(random_.log_uniform(4, points_))));
        }
        if (kind < 9) {
            const Integer n = 2 * length(random_, 2, points_ / 512);
            const char* const name = random_.with_probability(0.5) ? "MDCT" : "IMDCT";
            return formula(fmt::format("{}({})", name, n), type, batch_of(2 * n));
        }
        if (kind < 10) {
            const Integer n = length(random_, 16, points_ / 64), m = length(random_, 16, points_ / 64);
            return Transform::formula(fmt::format("CZT({}, {}, 0.{}, 1/{})", n, m, digits(), 4 * m), options);
        }
        if (kind < 11) {
            constexpr TransformKind kinds[] = {TransformKind::dct5, TransformKind::dct6, TransformKind::dct7,
                                               TransformKind::dct8, TransformKind::dst5, TransformKind::dst6,
                                               TransformKind::dst7, TransformKind::dst8};
            const TransformKind drawn = random_.one_of(kinds);
            return made(drawn, length(random_, 4, points_ / 16));
        }
        std::string taps = "0.5";
        for (auto left = static_cast<int>(random_.log_uniform(2, 65)); left > 1; --left)
            taps += fmt::format(", 0.{}", digits());
        return formula(fmt::format("FIR({}; {})", length(random_, 128, points_), taps), type, {});
    }

private:
    Integer digits() { return 100 + static_cast<Integer>(900 * random_.uniform()); }
    /// None, or several transforms of so many points.
    std::vector<Batch> batch_of(Integer n) {
        const auto most = static_cast<Integer>(points_) / n;
        if (most < 2 || random_.with_probability(0.5)) return {};
        return {{.count = static_cast<Integer>(random_.log_uniform(2, static_cast<double>(most)))}};
    }
    static Transform formula(const std::string& text, DataType type, std::vector<Batch> batches) {
        return Transform::of_matrix(TransformKind::real_formula, MatrixFormula(text),
                                    {.precision = type, .batches = std::move(batches)});
    }

    Transform wavelet_transform(DataType type) {
        constexpr const char* wavelets[] = {"haar", "db2",  "db3",    "db4",   "db6",
                                            "db8",  "db10", "cdf5/3", "cdf9/7"};
        constexpr const char* ends[] = {"periodic", "symmetric", "reflect", "zero"};
        const Integer n = length(random_, 128, points_);
        const auto most_levels = std::clamp(std::log2(static_cast<double>(n) / 20), 1.0, 8.0);
        const auto levels = 1 + static_cast<int>(most_levels * random_.uniform());
        const char* const name = random_.with_probability(0.5) ? "DWT" : "IDWT";
        const char* const wavelet = random_.one_of(wavelets);
        return formula(fmt::format("{}({}, {}, {}, {})", name, n, wavelet, levels, random_.one_of(ends)),
                       type, {});
    }
    /// Of a frame length that audio and measurements use, and a hop of an eighth to half of it.
    Transform frames(DataType type) {
        constexpr Integer lengths[] = {256, 400, 480, 512, 960, 1024, 2048, 4096}, parts[] = {2, 4, 8};
        const Integer n = random_.one_of(lengths);
        const Integer hop = n / random_.one_of(parts);
        const Integer most = std::max<Integer>(3, static_cast<Integer>(points_) / n);
        const auto count = static_cast<Integer>(random_.log_uniform(2, static_cast<double>(most)));
        TransformOptions options{.precision = type, .load = Expression("x * w[i]")};
        options.batches = {{.count = count, .input_stride = hop, .output_stride = n / 2 + 1}};
        if (random_.with_probability(0.5)) options.store = Expression("real: abs2(x)");
        return Transform::make(TransformKind::real_dft, {n}, options);
    }

    Random& random_;
    double points_;
};

class Products {
public:
    Products(const Draw& draw, Random& random)
        : random_(random),
          on_gpu_(draw.on_gpu),
          longest_(static_cast<double>(draw.largest > 0 ? draw.largest
                                       : on_gpu_        ? 8192
                                                        : 3000)) {}

    MatrixProduct operator()(DataType type) {
        const DataType sums = type == DataType::int8 ? DataType::int32
                              : bytes_of(type) < 4   ? DataType::float32
                                                     : type;
        if (on_gpu_ && type == DataType::float32 && random_.with_probability(0.2)) return batch(sums);
        auto [m, n, k] = extents();
        if (on_gpu_ && sums != type) {
            const Integer multiple = 16 / bytes_of(type);
            for (Integer* extent : {&m, &n, &k}) *extent = (*extent + multiple - 1) / multiple * multiple;
        }
        MatrixProduct product = MatrixProduct::column_major(sums, m, n, k);
        if (random_.with_probability(1.0 / 3)) product.a = {k, 1};
        if (random_.with_probability(1.0 / 3)) product.b = {n, 1};
        if (sums != type) product.a_type = product.b_type = type;
        return product;
    }

private:
    MatrixProduct batch(DataType type) {
        const auto n = static_cast<Integer>(random_.log_uniform(3, 128));
        MatrixProduct product = MatrixProduct::column_major(type, n, n, n);
        constexpr Integer elements = 30'000'000, most = 200'000;
        product.batch = std::min(most, elements / (n * n));
        product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = n * n;
        return product;
    }
    std::array<Integer, 3> extents() {
        constexpr Integer multiples[] = {1, 1, 4, 8, 16, 64};
        const Integer multiple = random_.one_of(multiples);
        const auto side = [&](double low) {
            const double x = random_.log_uniform(std::min(low, longest_), longest_);
            const auto rounded = std::max<Integer>(1, std::llround(x));
            return rounded < 2 * multiple ? rounded : rounded / multiple * multiple;
        };
        const double form = random_.uniform();
        if (form < 0.5) {
            const Integer n = side(3);
            return {n, n, n};
        }
        if (form < 0.75) return {side(8), side(8), side(8)};
        std::array<Integer, 3> result{side(64), side(64), side(64)};
        result[static_cast<std::size_t>(3 * random_.uniform())] =
            static_cast<Integer>(random_.log_uniform(1, std::min(65.0, longest_)));
        return result;
    }

    Random& random_;
    bool on_gpu_;
    double longest_;
};

} // namespace

std::vector<Problem> draw(const Draw& draw) {
    if (draw.largest < 0 || (draw.largest > 0 && draw.largest < 64))
        throw UserError("--largest is {}; use at least 64", draw.largest);
    const std::vector<DataType> types = draw.types.empty() ? usual_types(draw) : draw.types;
    Random random(draw.seed);
    Transforms transforms(draw, random);
    Products products(draw, random);
    Signals signals(draw, random);
    std::vector<Problem> problems;
    while (problems.size() < draw.count) {
        const DataType type = random.one_of(types);
        switch (draw.kind) {
        case ProblemKind::transforms: problems.emplace_back(transforms(type)); break;
        case ProblemKind::products: problems.emplace_back(products(type)); break;
        case ProblemKind::signals: problems.emplace_back(signals(type)); break;
        }
        validate(problems.back());
    }
    return problems;
}

} // namespace swirl::cli
