#include "bench/gpu_transforms/rows.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace swirl::bench {
namespace {

using Sizes = std::vector<Integer>;

Sizes powers(int from, int to) {
    Sizes sizes;
    for (int k = from; k <= to; ++k) sizes.push_back(Integer{1} << k);
    return sizes;
}

const Sizes smooth = {9, 15, 27, 60, 81, 100, 125, 243, 343, 720, 1000, 1331, 2187, 2197, 2401, 3125};

/// Rows of batched transforms that fill so many bytes per side.
class Filled {
public:
    explicit Filled(std::size_t bytes) : bytes_(static_cast<Integer>(bytes)) {}

    Integer batch(Integer points, Integer point_bytes) const {
        return std::max<Integer>(1, bytes_ / (points * point_bytes));
    }
    /// `options` follow the lengths: "dft 1024 float32 batch=65536".
    Row row(const std::string& kind, const std::string& lengths, Integer points, const std::string& options,
            double goal) const {
        const Integer real = options.find("float16") != std::string::npos   ? 2
                             : options.find("float32") != std::string::npos ? 4
                                                                            : 8;
        const Integer count = batch(points, kind == "rdft" ? real : 2 * real);
        return {fmt::format("{} {} {}{}", kind, lengths, options,
                            count == 1 ? "" : fmt::format(" batch={}", count)),
                goal};
    }
    std::vector<Row> rows(const std::string& kind, const Sizes& sizes, const std::string& options,
                          double goal) const {
        std::vector<Row> result;
        for (const Integer n : sizes) result.push_back(row(kind, std::to_string(n), n, options, goal));
        return result;
    }
    Row cube(Integer n, int dimensions, double goal) const {
        std::string lengths = std::to_string(n);
        Integer points = n;
        for (int d = 1; d < dimensions; ++d, points *= n) lengths += "x" + std::to_string(n);
        return row("dft", lengths, points, "float32", goal);
    }
    /// The columns of a matrix with as many columns as there are transforms.
    Row columns(Integer n, double goal) const {
        const Integer count = batch(n, 8);
        return {fmt::format("dft {} float32 strides={} batch={}:1", n, count, count), goal};
    }

private:
    Integer bytes_;
};

std::vector<Row> operator+(std::vector<Row> a, const std::vector<Row>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// One kernel reads and writes everything. Goals are fractions of copy bandwidth, or microseconds.
std::vector<Group> one_kernel(const Filled& filled) {
    return {
        {"powers", "2^3 … 2^13 points, float32", Measure::of_copy,
         filled.rows("dft", powers(3, 13), "float32", 0.97)},
        {"smooth", "sizes with the primes 3, 5, 7, 11 and 13, float32", Measure::of_copy,
         filled.rows("dft", smooth, "float32", 0.97)},
        {"float64", "2^3 … 2^12 points and smooth sizes, float64", Measure::of_copy,
         filled.rows("dft", powers(3, 12), "float64", 0.97) + filled.rows("dft", smooth, "float64", 0.97)},
        {"float16", "2^3 … 2^12 points, float16", Measure::of_copy,
         filled.rows("dft", powers(3, 12), "float16", 0.97)},
        {"real", "2^3 … 2^12 points of reals, forward and backward, float32", Measure::of_copy,
         filled.rows("rdft", powers(3, 12), "float32", 0.97) +
             filled.rows("rdft", powers(3, 12), "backward float32", 0.97)},
        {"middle", "the largest that a block holds", Measure::of_copy,
         filled.rows("dft", {6000, 10000, 16384}, "float32", 0.95)},
        {"clusters", "those that several blocks hold", Measure::of_copy,
         filled.rows("dft", {32768}, "float32", 0.85) + filled.rows("dft", {16384}, "float64", 0.85)},
    };
}

std::vector<Group> several_kernels(const Filled& filled) {
    return {
        {"large", "2^16 … 2^18 points", Measure::of_copy,
         filled.rows("dft", {1 << 16}, "float32", 0.78) + filled.rows("dft", {1 << 17}, "float32", 0.7) +
             filled.rows("dft", {1 << 18}, "float32", 0.6)},
        {"huge", "2^20 … 2^24 points", Measure::of_copy,
         filled.rows("dft", {1 << 20}, "float32", 0.52) + filled.rows("dft", {1 << 22}, "float32", 0.47) +
             filled.rows("dft", {1 << 24}, "float32", 0.45)},
        {"large-smooth", "100000 and a million points", Measure::of_copy,
         filled.rows("dft", {100000, 1000000}, "float32", 0.48)},
        {"primes", "prime sizes", Measure::of_copy,
         filled.rows("dft", {127}, "float32", 0.9) + filled.rows("dft", {1021}, "float32", 0.75) +
             filled.rows("dft", {10007}, "float32", 0.4) + filled.rows("dft", {65537}, "float32", 0.3)},
        {"large-real", "long transforms of reals, forward and backward", Measure::of_copy,
         filled.rows("rdft", {1 << 16}, "float32", 0.75) +
             filled.rows("rdft", {1 << 16}, "backward float32", 0.75) +
             filled.rows("rdft", {1 << 20}, "float32", 0.48) +
             filled.rows("rdft", {1 << 20}, "backward float32", 0.48)},
        {"large-float16", "2^16 points, float16", Measure::of_copy,
         filled.rows("dft", {1 << 16}, "float16", 0.7)},
    };
}

std::vector<Group> several_dimensions(const Filled& filled) {
    return {
        {"2d",
         "images, batched, and one of 8192²",
         Measure::of_copy,
         {filled.cube(256, 2, 0.75),
          filled.cube(1024, 2, 0.55),
          filled.cube(4096, 2, 0.48),
          {"dft 8192x8192 float32", 0.47}}},
        {"resident",
         "one image, one volume, both in the GPU's cache",
         Measure::resident,
         {{"dft 1024x1024 float32", 9}, {"dft 128x128x128 float32", 20}}},
        {"3d",
         "volumes, batched, and one of 512³",
         Measure::of_copy,
         {filled.cube(64, 3, 0.6),
          filled.cube(128, 3, 0.46),
          filled.cube(256, 3, 0.42),
          {"dft 512x512x512 float32", 0.42}}},
    };
}

std::vector<Group> layouts(const Filled& filled) {
    const Integer rows = filled.batch(1024, 8);
    const Integer half = std::max<Integer>(1, rows / 2);
    return {
        {"columns",
         "the columns of a matrix",
         Measure::of_copy,
         {filled.columns(64, 0.94), filled.columns(256, 0.92), filled.columns(1024, 0.92),
          filled.columns(4096, 0.85)}},
        {"layouts",
         "1024 points, planar; rows with gaps; every second element",
         Measure::of_copy,
         {{fmt::format("dft 1024 float32 planar batch={}", rows), 0.95},
          {fmt::format("dft 1024 float32 batch={}:1040", rows), 0.95},
          {fmt::format("dft 1024 float32 strides=2 batch={}", half), 0.48}}},
        {"convolution", "transform, product with one spectrum, inverse transform", Measure::convolution,
         filled.rows("convolution", {256, 1024, 4096}, "float32", 0.93) +
             filled.rows("convolution", {65536}, "float32", 0.6)},
    };
}

} // namespace

std::string_view word(Measure measure) {
    switch (measure) {
    case Measure::of_copy: return "of copy";
    case Measure::resident: return "resident";
    case Measure::latency: return "latency";
    case Measure::convolution: return "convolution";
    case Measure::planning: return "planning";
    case Measure::cached: return "cached";
    }
    return "";
}

std::vector<Group> groups(std::size_t bytes) {
    const Filled filled(bytes);
    // The group of first plans must come first: any earlier plan in the process would invalidate it.
    std::vector<Group> all{
        {"planning", "the first plan, nothing cached", Measure::planning, {{"dft 1024 float32", 110}}}};
    for (const auto& part :
         {one_kernel(filled), several_kernels(filled), several_dimensions(filled), layouts(filled)})
        all.insert(all.end(), part.begin(), part.end());
    all.push_back({"latency",
                   "one transform, replayed",
                   Measure::latency,
                   {{"dft 64 float32", 1.6},
                    {"dft 1024 float32", 2},
                    {"dft 4096 float32", 3.5},
                    {"dft 16384 float32", 10.8}}});
    all.push_back({"cached",
                   "a plan that was made before",
                   Measure::cached,
                   {{"dft 1024 float32", 2}, {"dft 512x512 float32", 2}, {"dft 1048576 float32", 2}}});
    return all;
}

std::vector<Group> parse_groups(const std::string& option, const std::string& list, std::size_t bytes) {
    const std::vector<Group> all = groups(bytes);
    std::vector<std::string> known, wanted;
    for (const Group& group : all) known.push_back(group.name);
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw UserError("{} has '{}'; use {}", option, name, fmt::join(known, ", "));
        wanted.push_back(name);
    }
    std::vector<Group> chosen;
    for (const Group& group : all)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), group.name) != wanted.end())
            chosen.push_back(group);
    return chosen;
}

} // namespace swirl::bench
