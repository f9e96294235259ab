#include "lower/chirp_spectrum_factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace swirl::lower {

namespace {

/// The lower half of an index counts up to this: sums of a few are exact in float32.
constexpr Integer lower_half = Integer{1} << 12;

/// The upper half as real component.
formula::Complex halves_of(Integer index) {
    const Integer low = modulo(index, lower_half);
    return {static_cast<long double>(index - low), static_cast<long double>(low)};
}

std::vector<Affine> terms_of(const loops::ChirpSpectrumEntries& entries) {
    std::vector<Affine> steps;
    for (const auto& index : entries.indices)
        if (index)
            for (const Affine::Term& term : index->terms()) {
                const Affine step = Affine::of(term.variable, term.coefficient);
                if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(step);
            }
    return steps;
}

template <class F>
std::vector<Twiddle> for_each_index(const loops::ChirpSpectrumEntries& entries, F&& twiddle) {
    std::vector<Twiddle> result;
    for (const auto& index : entries.indices) result.push_back(index ? twiddle(*index) : Twiddle{});
    return result;
}

/// Tables of the two halves of each step.
std::vector<Twiddle> halves_of(const std::vector<Affine>& steps, const Extents& extents) {
    std::vector<Twiddle> result;
    for (const Affine& step : steps) {
        const auto [variable, stride] = step.terms().front();
        const Integer count = extents[variable];
        const auto list = SharedList<formula::Complex>::evaluated_by(
            static_cast<std::size_t>(count),
            [stride = stride](std::size_t i) { return halves_of(stride * static_cast<Integer>(i)); });
        result.push_back(twiddle_of(
            {{formula::Diagonal{formula::ExplicitFunction{list}, formula::IndexMap::identity(count)},
              Affine::of(variable)}},
            extents));
    }
    return result;
}

} // namespace

ChirpSpectrumFactors::ChirpSpectrumFactors(Context& context, const loops::ChirpSpectrumEntries& entries,
                                           const std::vector<Loop>& loops,
                                           const std::optional<VectorLoop>& lane)
    : context_(context),
      entries_(entries),
      type_{context.request.loops.scalar, 1},
      ends_(formula::ends_of_chirp(entries.function.order, entries.function.size,
                                   type_.scalar == DataType::float64 ? 0x1p-55 : 0x1p-27)),
      steps_(terms_of(entries)),
      phases_(context, true,
              for_each_index(entries,
                             [&](const Affine& index) {
                                 return loops::phase_in_chirp_spectrum(entries.function, index,
                                                                       context.extents());
                             }),
              loops, lane),
      turns_(context, true,
             for_each_index(entries,
                            [&](const Affine& index) {
                                return loops::turn_in_chirp_spectrum(entries.function, index,
                                                                     context.extents());
                            }),
             loops, lane),
      halves_(context, true, halves_of(steps_, context.extents()), loops, lane) {}

auto ChirpSpectrumFactors::index_of(std::size_t entry, Arithmetic& arithmetic, const Affine& vector,
                                    const Affine& lane) -> Halves {
    ir::Builder& builder = context_.builder;
    const Affine& index = *entries_.indices[entry];
    std::optional<Halves> sum;
    for (const Affine::Term& term : index.terms()) {
        const Affine step = Affine::of(term.variable, term.coefficient);
        const auto at = std::find(steps_.begin(), steps_.end(), step) - steps_.begin();
        const Scaled halves = halves_.factor(static_cast<std::size_t>(at), arithmetic, vector, lane);
        const ir::Value high = arithmetic.materialize(halves.re), low = arithmetic.materialize(halves.im);
        sum = sum ? Halves{builder.add(sum->high, high), builder.add(sum->low, low)} : Halves{high, low};
    }
    const formula::Complex own = halves_of(index.constant());
    const Halves constant{number(own.real()), number(own.imag())};
    if (!sum) return constant;
    return {own.real() == 0 ? sum->high : builder.add(sum->high, constant.high),
            own.imag() == 0 ? sum->low : builder.add(sum->low, constant.low)};
}

/// By Horner's scheme in x^4, four chains at a time, which hide each other's latency.
ir::Value ChirpSpectrumFactors::polynomial(const std::vector<double>& coefficients, ir::Value x) {
    ir::Builder& builder = context_.builder;
    constexpr std::size_t chains = 4;
    const ir::Value square = builder.multiply(x, x), fourth = builder.multiply(square, square);
    std::array<ir::Value, chains> sums;
    sums.fill(ir::no_value);
    for (std::size_t k = coefficients.size(); k-- > 0;) {
        ir::Value& sum = sums[k % chains];
        const ir::Value coefficient = number(coefficients[k]);
        sum = sum == ir::no_value ? coefficient : builder.add(builder.multiply(sum, fourth), coefficient);
    }
    const auto joined = [&](ir::Value low, ir::Value high, ir::Value factor) {
        if (high == ir::no_value) return low;
        return builder.add(builder.multiply(high, factor), low);
    };
    const ir::Value even = joined(sums[0], sums[2], square), odd = joined(sums[1], sums[3], square);
    return even == ir::no_value ? number(0) : joined(even, odd, x);
}

/// What the ends of the chirp contribute: (−1)ⁿ·(V·sin 2πx − cos 2πx)/M.
Scaled ChirpSpectrumFactors::ends(std::size_t entry, const Scaled& turn, Arithmetic& arithmetic,
                                  const Affine& vector, const Affine& lane) {
    ir::Builder& builder = context_.builder;
    const auto& [order, size, direction] = entries_.function;
    const Halves index = index_of(entry, arithmetic, vector, lane);
    const formula::Complex whole = halves_of(size);
    const ir::Value ahead = builder.add(index.high, index.low),
                    back = builder.add(builder.subtract(number(whole.real()), index.high),
                                       builder.subtract(number(whole.imag()), index.low));
    const ir::Value is_behind = builder.less(back, ahead);
    const ir::Value a = builder.select(is_behind, back, ahead);
    const ir::Value pole = number(ends_.pole);
    const ir::Value t = builder.divide(builder.subtract(a, pole), builder.add(a, pole));
    const ir::Value w =
        builder.subtract(builder.multiply(builder.multiply(a, a), number(ends_.square)), number(1));
    const auto part = [&](const std::vector<double>& near, const std::vector<double>& regular) {
        return builder.add(polynomial(near, t), builder.multiply(a, polynomial(regular, w)));
    };
    const ir::Value sine = arithmetic.materialize(turn.im);
    const ir::Value odd = builder.select(is_behind, builder.negate(sine), sine);
    // Backward, the turn is conjugated, and so is the result.
    const ir::Value re = builder.multiply(part(ends_.re, ends_.regular_re), odd),
                    im = builder.multiply(part(ends_.im, ends_.regular_im), odd);
    const ir::Value cosine =
        builder.multiply(arithmetic.materialize(turn.re), number(1 / static_cast<long double>(size)));
    const bool is_backward = direction == Direction::backward, is_odd = order % 2 != 0;
    const Scaled sum{{is_backward ? builder.negate(builder.add(re, cosine)) : builder.subtract(re, cosine)},
                     {im}};
    return is_odd ? Arithmetic::negate(sum) : sum;
}

Scaled ChirpSpectrumFactors::apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic,
                                   const Affine& vector, const Affine& lane) {
    if (!entries_.indices[entry]) return value;
    const auto& [order, size, direction] = entries_.function;
    const long double amplitude =
        std::sqrt(static_cast<long double>(order) / 2) / static_cast<long double>(size);
    const formula::Complex eighth(amplitude, direction == Direction::forward ? amplitude : -amplitude);
    const Scaled turn = turns_.factor(entry, arithmetic, vector, lane);
    const Scaled first = arithmetic.multiply(phases_.apply(entry, value, arithmetic, vector, lane), eighth);
    const Scaled second = arithmetic.multiply_loaded(first, turn);
    const Scaled points = order % 2 == 0 ? arithmetic.add(first, second) : arithmetic.subtract(first, second);
    return arithmetic.add(points,
                          arithmetic.multiply_loaded(value, ends(entry, turn, arithmetic, vector, lane)));
}

} // namespace swirl::lower
