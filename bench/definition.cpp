#include "bench/definition.hpp"

#include "base/error.hpp"
#include "bench/support/in_parallel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace swirl::bench {
namespace {

using Complex = std::complex<long double>;

/// Multiplication without the infinity checks of std::complex.
Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// ω^k for an n-th root of unity ω; for large n it stores about 2·√n of them.
class Roots {
public:
    Roots(Integer n, Direction direction) : n_(n) {
        constexpr Integer max_unsplit_table = 1 << 16;
        while (n > max_unsplit_table && (Integer{1} << shift_) * (Integer{1} << shift_) < n) ++shift_;
        if (n <= max_unsplit_table) shift_ = 16;
        const long double period =
            (direction == Direction::forward ? -2 : 2) * std::numbers::pi_v<long double>;
        const auto root = [&](Integer k) {
            return std::polar(1.0L, period * static_cast<long double>(k) / static_cast<long double>(n));
        };
        for (Integer k = 0; k < std::min(n, Integer{1} << shift_); ++k) low_.push_back(root(k));
        for (Integer k = 0; k < n; k += Integer{1} << shift_) high_.push_back(root(k));
    }

    Complex operator[](Integer k) const {
        const Complex low = low_[static_cast<std::size_t>(k & ((Integer{1} << shift_) - 1))];
        return high_.size() == 1 ? low : product(low, high_[static_cast<std::size_t>(k >> shift_)]);
    }
    Integer order() const { return n_; }

private:
    Integer n_;
    int shift_ = 0;
    std::vector<Complex> low_, high_;
};

class Definition {
public:
    Definition(const Transform& problem, const ElementAt& input) : problem_(problem), input_(input) {
        for (const Dimension& dimension : problem.dimensions)
            roots_.emplace_back(dimension.length, problem.direction);
    }

    Complex operator()(const OutputIndex& output) const {
        Integer offset = 0;
        for (std::size_t d = 0; d < problem_.batches.size(); ++d)
            offset += output.transform[d] * problem_.batches[d].input_stride;
        const Complex total = sum(0, output.index, offset);
        return has_complex_elements(problem_, Side::output) ? total : total.real();
    }

private:
    Complex sum(std::size_t d, const std::vector<Integer>& index, Integer offset) const {
        const Dimension& dimension = problem_.dimensions[d];
        const bool is_last = d + 1 == problem_.dimensions.size();
        const Integer count = stored_length(problem_, d, Side::input);
        const bool is_half = count != dimension.length;
        Complex total = 0;
        for (Integer j = 0, power = 0; j < count; ++j) {
            const Complex inner = is_last ? Complex(input_(offset)) : sum(d + 1, index, offset);
            // An element of a half spectrum represents its conjugate, too, which adds as much to the real component.
            const long double times = is_half && j != 0 && 2 * j != dimension.length ? 2 : 1;
            total += times * product(inner, roots_[d][power]);
            offset += dimension.input_stride;
            power += index[d];
            if (power >= dimension.length) power -= dimension.length;
        }
        return total;
    }

    const Transform& problem_;
    const ElementAt& input_;
    std::vector<Roots> roots_;
};

/// Calls f with the offset of each transform's input.
template <class F>
void for_each_transform(const Transform& problem, const F& f, std::size_t d = 0, Integer offset = 0) {
    if (d == problem.batches.size()) return f(offset);
    const Dimension& loop = problem.batches[d];
    for (Integer k = 0; k < loop.length; ++k)
        for_each_transform(problem, f, d + 1, offset + k * loop.input_stride);
}

std::vector<Integer> digits(Integer number, const std::vector<Integer>& lengths) {
    std::vector<Integer> result(lengths.size());
    for (std::size_t d = lengths.size(); d-- > 0; number /= lengths[d]) result[d] = number % lengths[d];
    return result;
}

} // namespace

void require_definition(const Transform& problem) {
    const bool is_known = problem.kind == TransformKind::dft || problem.kind == TransformKind::real_dft;
    if (!is_known || problem.scale != 1 || !problem.load.is_identity() || !problem.store.is_identity())
        throw UserError(
            "'{}' has no definition here\n  the benchmark takes dft and rdft without scale and callbacks; "
            "'swirl bench' takes all",
            to_text(problem));
}

std::vector<OutputIndex> outputs_to_compare(const Transform& problem, double operations) {
    constexpr Integer fewest = 4;
    std::vector<Integer> loops, lengths;
    Integer transforms = 1, outputs = 1;
    for (const Dimension& loop : problem.batches) {
        loops.push_back(loop.length);
        transforms *= loop.length;
    }
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
        lengths.push_back(stored_length(problem, d, Side::output));
        outputs *= lengths.back();
    }
    const std::set<Integer> chosen{0, transforms / 2, transforms - 1};
    const double each = static_cast<double>(transform_size(problem)) * static_cast<double>(chosen.size());
    const auto affordable = static_cast<Integer>(operations / each);
    const Integer count = std::min(outputs, std::max(fewest, affordable));
    std::vector<OutputIndex> result;
    for (const Integer transform : chosen)
        for (Integer k = 0; k < count; ++k) {
            // In the k-th of `count` equal ranges, at varying offsets, so that indices are not all even.
            const Integer first_output = outputs * k / count; // below 2^60: both operands are at most 2^30
            const Integer width = outputs / count;
            const Integer element = width == 1 ? 0 : k * 7 % width;
            result.push_back({digits(transform, loops), digits(first_output + element, lengths)});
        }
    return result;
}

Integer offset_of(const Transform& problem, const OutputIndex& output) {
    Integer offset = 0;
    for (std::size_t d = 0; d < problem.batches.size(); ++d)
        offset += output.transform[d] * problem.batches[d].output_stride;
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        offset += output.index[d] * problem.dimensions[d].output_stride;
    return offset;
}

std::vector<ConjugatePair> conjugate_inputs(const Transform& problem) {
    std::vector<ConjugatePair> found;
    if (has_complex_elements(problem, Side::output) || !has_complex_elements(problem, Side::input))
        return found;
    // Pairs within one transform; the mirror image of a pair is the pair itself.
    std::vector<ConjugatePair> pairs;
    const Dimension& row = problem.dimensions.back();
    pairs.push_back({0, 0});
    if (row.length % 2 == 0)
        pairs.push_back({row.length / 2 * row.input_stride, row.length / 2 * row.input_stride});
    for (std::size_t d = 0; d + 1 < problem.dimensions.size(); ++d) {
        const Integer length = problem.dimensions[d].length, stride = problem.dimensions[d].input_stride;
        std::vector<ConjugatePair> longer;
        for (const ConjugatePair& pair : pairs)
            for (Integer k = 0; k < length; ++k)
                longer.push_back({pair.offset + k * stride, pair.mirrored + (length - k) % length * stride});
        pairs = std::move(longer);
    }
    for_each_transform(problem, [&](Integer offset) {
        for (const ConjugatePair& pair : pairs)
            found.push_back({offset + pair.offset, offset + pair.mirrored});
    });
    return found;
}

std::vector<Complex> by_definition(const Transform& problem, const ElementAt& input,
                                   std::span<const OutputIndex> outputs) {
    const Definition definition(problem, input);
    std::vector<Complex> result(outputs.size());
    in_parallel(outputs.size(), [&](std::size_t k) { result[k] = definition(outputs[k]); });
    return result;
}

} // namespace swirl::bench
