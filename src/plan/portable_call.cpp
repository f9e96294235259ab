#include "plan/portable_call.hpp"

#include "base/error.hpp"
#include "emit/cpp/builtin.hpp"
#include "lower/arithmetic.hpp"

#include <algorithm>
#include <type_traits>

namespace swirl::planning {

namespace {

bool is_even(const Affine& address) {
    return std::all_of(address.terms().begin(), address.terms().end(),
                       [](const Affine::Term& term) { return term.coefficient % 2 == 0; });
}

Affine halved(const Affine& address) {
    Affine half = floor_divide(address.constant(), Integer{2});
    for (const auto& [variable, coefficient] : address.terms()) half += Affine::of(variable, coefficient / 2);
    return half;
}

/// The loops, with that loop last that moves most entries to their neighbours and is long enough to fill the lanes.
std::vector<loops::Loop> ordered(const loops::Call& call) {
    std::vector<loops::Loop> loops = call.loops;
    if (loops.size() < 2) return loops;
    const auto merit = [&](const loops::Loop& loop) {
        double sum = 0;
        for (const auto* locations : {&call.placement.sources, &call.placement.targets})
            if (!locations->empty()) {
                const Integer stride = (*locations)[0].re.coefficient(loop.variable);
                const bool pairs = (*locations)[0].im == (*locations)[0].re + 1;
                sum += stride == (pairs ? 2 : 1) ? 2 : 1;
            }
        return sum * static_cast<double>(std::min<Integer>(loop.count, emit::builtin_lanes)) /
               static_cast<double>(ceil_divide(loop.count, emit::builtin_lanes) * emit::builtin_lanes) *
               static_cast<double>(std::min<Integer>(ceil_divide(loop.count, emit::builtin_lanes), 4));
    };
    const auto best = std::max_element(loops.begin(), loops.end(),
                                       [&](const auto& a, const auto& b) { return merit(a) < merit(b); });
    std::rotate(best, best + 1, loops.end());
    return loops;
}

/// Calls f(count) with `count` as a constant if it is the usual one, so that loops over lanes vectorise.
template <class F> void with_lanes(Integer count, F&& f) {
    if (count == emit::builtin_lanes) return f(std::integral_constant<Integer, emit::builtin_lanes>{});
    f(count);
}

template <class T> void gather(const T* from, const LaneBases& bases, Integer count, T* to) {
    if (!bases.uniform) {
        for (Integer l = 0; l < count; ++l) to[l] = from[bases.lanes[l]];
        return;
    }
    from += bases.first;
    with_lanes(count, [&](auto lanes) {
        if (bases.stride == 1)
            for (Integer l = 0; l < lanes; ++l) to[l] = from[l];
        else if (bases.stride == 2)
            for (Integer l = 0; l < lanes; ++l) to[l] = from[2 * l];
        else
            for (Integer l = 0; l < lanes; ++l) to[l] = from[bases.stride * l];
    });
}

template <class T> void scatter(const T* from, const LaneBases& bases, Integer count, T* to) {
    if (!bases.uniform) {
        for (Integer l = 0; l < count; ++l) to[bases.lanes[l]] = from[l];
        return;
    }
    to += bases.first;
    with_lanes(count, [&](auto lanes) {
        if (bases.stride == 1)
            for (Integer l = 0; l < lanes; ++l) to[l] = from[l];
        else if (bases.stride == 2)
            for (Integer l = 0; l < lanes; ++l) to[2 * l] = from[l];
        else
            for (Integer l = 0; l < lanes; ++l) to[bases.stride * l] = from[l];
    });
}

template <class T> T& element(const ArrayPointers<T>& array, Integer scalar) {
    return (scalar % 2 == 0 ? array.first : array.second)[floor_divide(scalar, Integer{2})];
}

template <class T>
void gather(const ArrayPointers<T>& array, const ComponentLocation& location, const LaneBases* bases,
            Integer count, T* to) {
    const LaneBases& base = bases[location.form];
    if (location.in == ComponentLocation::In::either)
        for (Integer l = 0; l < count; ++l) to[l] = element(array, base[l] + location.offset);
    else
        gather((location.in == ComponentLocation::In::first ? array.first : array.second) + location.offset,
               base, count, to);
}

template <class T>
void scatter(const T* from, const ArrayPointers<T>& array, const ComponentLocation& location,
             const LaneBases* bases, Integer count) {
    const LaneBases& base = bases[location.form];
    if (location.in == ComponentLocation::In::either)
        for (Integer l = 0; l < count; ++l) element(array, base[l] + location.offset) = from[l];
    else
        scatter(from, base, count,
                (location.in == ComponentLocation::In::first ? array.first : array.second) + location.offset);
}

template <class T> void negate(T* lanes, Integer count) {
    for (Integer l = 0; l < count; ++l) lanes[l] = -lanes[l];
}

/// Fills the unused lanes with the last one, so that they compute on valid values.
template <class T> void pad(T* lanes, Integer count, Integer all) {
    for (Integer l = count; l < all; ++l) lanes[l] = lanes[count - 1];
}

} // namespace

template <class T>
PortableCall<T>::PortableCall(const loops::Call& call, const loops::LoopProgram& program,
                              const std::vector<loops::Loop>& around, const std::vector<bool>& split)
    : input_(call.input.array),
      output_(call.output.array),
      complex_(call.complex),
      rows_(call.codelet.rows),
      lanes_(call.codelet.formula ? emit::builtin_lanes : max_lanes),
      iterations_(ordered(call)),
      forms_(iterations_, around) {
    if (call.codelet.formula) codelet_.emplace(*call.codelet.formula, complex_);
    const auto is_split = [&](int array) { return split[static_cast<std::size_t>(array)]; };
    sources_ = entries_of(call.placement.sources, call.input, program, is_split(input_));
    targets_ = entries_of(call.placement.targets, call.output, program, is_split(output_));
}

template <class T>
auto PortableCall<T>::entries_of(const std::vector<loops::Location>& locations, const loops::Memory& memory,
                                 const loops::LoopProgram& program, bool split) -> std::vector<Entry> {
    constexpr DataType scalar = std::is_same_v<T, float> ? DataType::float32 : DataType::float64;
    std::vector<loops::Twiddle> whole;
    for (const loops::Location& location : locations)
        whole.push_back(loops::twiddle_of(location.diagonals, program.extents));
    loops::TwiddleGroups groups =
        loops::twiddle_groups(std::move(whole), complex_, false, program.extents, loops::Roots::by_size);
    const std::size_t left_out = factors_.size() + groups.twiddles.size(); // see lower::overflow_scale
    std::vector<bool> is_large;
    for (loops::Twiddle& factor : groups.twiddles) {
        is_large.push_back(lower::is_near_overflow(std::abs(factor.constant), scalar));
        if (is_large.back()) factor.constant /= lower::overflow_scale;
    }
    std::vector<Entry> entries;
    for (std::size_t k = 0; k < locations.size(); ++k) {
        const loops::Location& location = locations[k];
        entries.push_back({location_of(location.re, location, split),
                           location_of(location.im, location, split),
                           location.re_negative,
                           location.im_negative,
                           {}});
        if (memory.kind == loops::Memory::Kind::planar) entries.back().im.in = ComponentLocation::In::second;
        for (const auto& group : groups.of_entry[k])
            for (const std::size_t factor : group) {
                std::vector<std::size_t>& all = entries.back().factors;
                if (!groups.twiddles[factor].is_one()) all.push_back(factors_.size() + factor);
                if (is_large[factor]) all.push_back(left_out);
            }
    }
    for (const loops::Twiddle& factor : groups.twiddles) factors_.push_back(twiddle_of(factor));
    factors_.push_back({static_cast<T>(lower::overflow_scale), 0, {}});
    return entries;
}

template <class T>
ComponentLocation PortableCall<T>::location_of(const Affine& address, const loops::Location& location,
                                               bool split) {
    using In = ComponentLocation::In;
    if (!split) return {In::first, forms_.add(address, location), address.constant()};
    if (!is_even(address)) return {In::either, forms_.add(address, location), address.constant()};
    const Affine half = halved(address);
    return {address.constant() % 2 == 0 ? In::first : In::second, forms_.add(half, location),
            half.constant()};
}

template <class T> PortableFactor<T> PortableCall<T>::twiddle_of(const loops::Twiddle& factor) {
    if (factor.variables.empty())
        return {static_cast<T>(factor.constant.real()), static_cast<T>(factor.constant.imag()), {}};
    std::vector<loops::Loop> varying;
    Integer rows = 1;
    for (const loops::Loop& loop : forms_.loops())
        if (std::find(factor.variables.begin(), factor.variables.end(), loop.variable) !=
            factor.variables.end()) {
            varying.push_back(loop);
            rows *= loop.count;
        }
    PortableFactor<T> result;
    result.form = forms_.add(row_of(varying));
    formula::DiagonalValues values;
    for (Integer row = 0; row < rows; ++row) {
        const auto lookup = [&](Variable v) {
            Integer rest = row;
            for (std::size_t k = varying.size(); k-- > 0; rest /= varying[k].count)
                if (varying[k].variable == v) return rest % varying[k].count;
            return Integer{0};
        };
        const formula::Complex value = loops::value_of(factor, lookup, values);
        result.table_re.push_back(static_cast<T>(value.real()));
        if (complex_) result.table_im.push_back(static_cast<T>(value.imag()));
    }
    return result;
}

template <class T>
void PortableCall<T>::multiply(const PortableFactor<T>& factor, const LaneBases* bases, T* re, T* im,
                               Integer count) const {
    if (factor.is_one()) return;
    T factor_re[max_lanes], factor_im[max_lanes];
    if (factor.form) {
        gather<T>(factor.table_re.data(), bases[*factor.form], count, factor_re);
        if (complex_) gather<T>(factor.table_im.data(), bases[*factor.form], count, factor_im);
    } else {
        std::fill_n(factor_re, count, factor.re);
        std::fill_n(factor_im, count, factor.im);
    }
    if (!complex_) {
        for (Integer l = 0; l < count; ++l) re[l] *= factor_re[l];
        return;
    }
    with_lanes(count, [&](auto lanes) {
        for (Integer l = 0; l < lanes; ++l) {
            const T x = re[l], y = im[l];
            re[l] = x * factor_re[l] - y * factor_im[l];
            im[l] = x * factor_im[l] + y * factor_re[l];
        }
    });
}

template <class T>
void PortableCall<T>::load(const PortableState<T>& state, const LaneVector<T>& x, Integer count) const {
    const ArrayPointers<T>& array = state.arrays[input_];
    for (std::size_t k = 0; k < sources_.size(); ++k) {
        const Entry& entry = sources_[k];
        T* const to_re = lane(x.re, k);
        T* const to_im = complex_ ? lane(x.im, k) : nullptr;
        gather(array, entry.re, state.bases, count, to_re);
        if (complex_) gather(array, entry.im, state.bases, count, to_im);
        if (entry.re_negative) negate(to_re, count);
        if (entry.im_negative) negate(to_im, count);
        for (const std::size_t factor : entry.factors)
            multiply(factors_[factor], state.bases, to_re, to_im, count);
        pad(to_re, count, lanes_);
        if (complex_) pad(to_im, count, lanes_);
    }
}

template <class T>
void PortableCall<T>::store(const PortableState<T>& state, const LaneVector<T>& y, Integer count) const {
    const ArrayPointers<T>& array = state.arrays[output_];
    for (std::size_t k = 0; k < targets_.size(); ++k) {
        const Entry& entry = targets_[k];
        T* const from_re = lane(y.re, k);
        T* const from_im = complex_ ? lane(y.im, k) : nullptr;
        for (const std::size_t factor : entry.factors)
            multiply(factors_[factor], state.bases, from_re, from_im, count);
        if (entry.re_negative) negate(from_re, count);
        if (entry.im_negative) negate(from_im, count);
        scatter(from_re, array, entry.re, state.bases, count);
        if (complex_) scatter(from_im, array, entry.im, state.bases, count);
    }
}

template <class T> void PortableCall<T>::run(const PortableState<T>& state) const {
    const LaneVector<T> x{state.lanes, lane(state.lanes, sources_.size())};
    const LaneVector<T> y =
        codelet_ || sources_.empty()
            ? LaneVector<T>{lane(x.im, sources_.size()), lane(x.im, sources_.size() + targets_.size())}
            : x;
    iterations_.start(state.values);
    for (Integer left = iterations_.count(); left > 0;) {
        const Integer count = std::min(left, lanes_);
        forms_.next(state.values, count, {state.bases, forms_.size()});
        load(state, x, count);
        if (codelet_)
            codelet_->run({x.re, complex_ ? x.im : nullptr}, {y.re, complex_ ? y.im : nullptr}, count);
        if (sources_.empty()) std::fill_n(y.re, 2 * rows_ * lanes_, T{0});
        store(state, y, count);
        left -= count;
    }
}

template <class T> std::size_t PortableCall<T>::lane_elements() const {
    return 2 * (sources_.size() + targets_.size()) * static_cast<std::size_t>(lanes_);
}

template <class T> template <class F> void PortableCall<T>::for_each_factor(F&& f) const {
    for (const auto* side : {&sources_, &targets_})
        for (const Entry& entry : *side)
            for (const std::size_t factor : entry.factors) f(factors_[factor]);
}

template <class T> Integer PortableCall<T>::flops() const {
    Integer each = codelet_ ? codelet_->flops() : 0;
    for_each_factor([&](const PortableFactor<T>& factor) {
        if (!factor.is_one()) each += complex_ ? 6 : 1;
    });
    return each * iterations_.count();
}

template <class T> Integer PortableCall<T>::elements_loaded() const {
    auto each = static_cast<Integer>(sources_.size());
    for_each_factor([&](const PortableFactor<T>& factor) { each += factor.form.has_value(); });
    return each * (complex_ ? 2 : 1) * iterations_.count();
}

template <class T> Integer PortableCall<T>::elements_stored() const {
    return static_cast<Integer>(targets_.size()) * (complex_ ? 2 : 1) * iterations_.count();
}

template <class T> std::size_t PortableCall<T>::table_bytes() const {
    std::size_t elements = 0;
    for (const PortableFactor<T>& factor : factors_)
        elements += factor.table_re.size() + factor.table_im.size();
    return elements * sizeof(T);
}

template class PortableCall<float>;
template class PortableCall<double>;

} // namespace swirl::planning
