#include "bench/fftw/draw.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace swirl::bench {
namespace {

using Random = std::mt19937_64;

std::int64_t integer(Random& random, std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

double log_uniform(Random& random, double least, double most) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    return least * std::pow(most / least, uniform);
}

bool is_smooth(std::int64_t n) {
    for (const std::int64_t p : {2, 3, 5, 7})
        while (n % p == 0) n /= p;
    return n == 1;
}

std::int64_t length(Random& random, double least, double most) {
    const double x = log_uniform(random, least, std::max(least, most));
    const auto n = std::max<std::int64_t>(2, std::llround(x));
    const std::int64_t choice = integer(random, 0, 9);
    if (choice < 2) return std::max<std::int64_t>(2, std::int64_t{1} << std::llround(std::log2(x)));
    if (choice >= 7) return n;
    std::int64_t smooth = n;
    while (!is_smooth(smooth)) --smooth;
    return std::max<std::int64_t>(2, smooth);
}

/// Strides of one side, from the innermost loop outwards.
void nest(const std::vector<fftw_iodim64*>& inside_out, ptrdiff_t fftw_iodim64::*stride, std::int64_t gap,
          const std::vector<std::int64_t>& lengths) {
    std::int64_t next = 1;
    for (std::size_t i = 0; i < inside_out.size(); ++i) {
        inside_out[i]->*stride = next;
        next = next * lengths[i] + gap;
    }
}

std::string text_of(const std::vector<fftw_iodim64>& loops) {
    std::vector<std::string> words;
    for (const fftw_iodim64& loop : loops) words.push_back(fmt::format("{}:{}:{}", loop.n, loop.is, loop.os));
    return fmt::format("{}", fmt::join(words, "x"));
}

} // namespace

std::string GuruProblem::text() const {
    static constexpr const char* names[] = {"dft", "r2c", "c2r", "r2r"};
    static constexpr const char* kind_names[] = {"r2hc", "hc2r", "dht", "e00", "e01", "e10",
                                                 "e11",  "o00",  "o01", "o10", "o11"};
    std::string text = fmt::format("{} {}", names[static_cast<int>(kind)], text_of(dimensions));
    for (const fftw_r2r_kind r2r : kinds) text += fmt::format(" {}", kind_names[r2r]);
    if (!loops.empty()) text += fmt::format(" loops {}", text_of(loops));
    if (kind == Kind::dft && sign == FFTW_BACKWARD) text += " backward";
    return text + (in_place ? " in place" : "");
}

std::size_t GuruProblem::reals(bool of_input) const {
    const bool is_complex = kind == Kind::dft || kind == (of_input ? Kind::c2r : Kind::r2c);
    std::int64_t last = 0;
    for (const auto* const all : {&dimensions, &loops})
        for (const fftw_iodim64& loop : *all) last += (loop.n - 1) * (of_input ? loop.is : loop.os);
    return static_cast<std::size_t>((last + 1) * (is_complex ? 2 : 1));
}

GuruProblem draw(Random& random, GuruProblem::Kind kind, Layouts layouts, std::int64_t most) {
    GuruProblem problem{.kind = kind};
    const double elements = log_uniform(random, 16, static_cast<double>(most));
    const std::int64_t choice = integer(random, 0, 9);
    const int rank = choice < 6 ? 1 : choice < 9 ? 2 : 3;
    const bool has_loop = layouts == Layouts::strided || integer(random, 0, 9) < 4;
    const double inside = has_loop ? log_uniform(random, std::min(8.0, elements), elements) : elements;
    double left = inside;
    for (int d = 0; d < rank; ++d) {
        const double share = d + 1 == rank ? left : log_uniform(random, 2, std::max(2.0, left / 2));
        problem.dimensions.push_back({length(random, share, share), 0, 0});
        left = std::max(2.0, left / static_cast<double>(problem.dimensions.back().n));
    }
    std::int64_t transform = 1;
    for (const fftw_iodim64& dimension : problem.dimensions) transform *= dimension.n;
    if (has_loop)
        problem.loops.push_back(
            {std::max<std::int64_t>(2, std::llround(elements / static_cast<double>(transform))), 0, 0});
    const bool same_kind = integer(random, 0, 1) == 0;
    const auto first_kind = static_cast<fftw_r2r_kind>(integer(random, 0, FFTW_RODFT11));
    for (int d = 0; d < rank && kind == GuruProblem::Kind::r2r; ++d)
        problem.kinds.push_back(same_kind ? first_kind
                                          : static_cast<fftw_r2r_kind>(integer(random, 0, FFTW_RODFT11)));
    problem.sign = integer(random, 0, 1) == 0 ? FFTW_FORWARD : FFTW_BACKWARD;
    problem.in_place =
        (kind == GuruProblem::Kind::dft || kind == GuruProblem::Kind::r2r) && integer(random, 0, 2) == 0;

    std::vector<fftw_iodim64*> inside_out;
    for (fftw_iodim64& loop : problem.loops) inside_out.insert(inside_out.begin(), &loop);
    for (fftw_iodim64& dimension : problem.dimensions) inside_out.push_back(&dimension);
    // Now the loop comes first, then the dimensions from the slowest on.
    std::reverse(inside_out.begin(), inside_out.end());
    const auto lay_out = [&](ptrdiff_t fftw_iodim64::*stride, bool is_half) {
        std::vector<fftw_iodim64*> order = inside_out;
        std::int64_t gap = 0;
        if (layouts == Layouts::strided) {
            std::shuffle(order.begin(), order.end(), random);
            gap = integer(random, 0, 3);
        }
        std::vector<std::int64_t> lengths;
        for (const fftw_iodim64* const loop : order)
            lengths.push_back(is_half && loop == &problem.dimensions.back() ? loop->n / 2 + 1 : loop->n);
        nest(order, stride, gap, lengths);
    };
    lay_out(&fftw_iodim64::is, kind == GuruProblem::Kind::c2r);
    lay_out(&fftw_iodim64::os, kind == GuruProblem::Kind::r2c);
    if (problem.in_place)
        for (fftw_iodim64* const loop : inside_out) loop->os = loop->is;
    return problem;
}

} // namespace swirl::bench
