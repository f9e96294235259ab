#include "plan/portable/call.hpp"

#include "base/error.hpp"
#include "emit/cpp/builtin.hpp"
#include "loops/chirp_spectrum.hpp"

#include <algorithm>
#include <type_traits>

namespace swirl::planning {

namespace {

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

template <class T>
void gather(const PortableMemory<T>& memory, int array, const ComponentLocation& location,
            const LaneBases* bases, Integer count, T* to) {
    const ArrayPointers& pointers = memory.arrays[array];
    if (location.in == ComponentLocation::In::either || pointers.type != data_type_of<T>())
        for (Integer l = 0; l < count; ++l) to[l] = memory.read(array, location, bases, l);
    else
        gather(static_cast<const T*>(location.in == ComponentLocation::In::first ? pointers.first
                                                                                 : pointers.second) +
                   location.offset,
               bases[location.form], count, to);
}

template <class T>
void scatter(const T* from, const PortableMemory<T>& memory, int array, const ComponentLocation& location,
             const LaneBases* bases, Integer count) {
    const ArrayPointers& pointers = memory.arrays[array];
    if (location.in == ComponentLocation::In::either || pointers.type != data_type_of<T>())
        for (Integer l = 0; l < count; ++l) memory.write(array, location, bases, l, from[l]);
    else
        scatter(
            from, bases[location.form], count,
            static_cast<T*>(location.in == ComponentLocation::In::first ? pointers.first : pointers.second) +
                location.offset);
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
PortableCall<T>::PortableCall(const loops::Call& call, const lower::KernelRequest& request,
                              const loops::LoopProgram& program, const std::vector<loops::Loop>& around,
                              const std::vector<bool>& split)
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
    if (request.loops.auxiliary) spectrum_ = request.loops.auxiliary->array;
    if (loops::has_callback(call.placement.sources))
        loads_.emplace(call.placement.sources, call.input, complex_, is_split(input_), *request.loops.load,
                       request.arrays, forms_);
    if (loops::has_callback(call.placement.targets))
        stores_.emplace(call.placement.targets, call.output, complex_, is_split(output_),
                        *request.loops.store, request.arrays, forms_);
}

template <class T>
auto PortableCall<T>::entries_of(const std::vector<loops::Location>& locations, const loops::Memory& memory,
                                 const loops::LoopProgram& program, bool split) -> std::vector<Entry> {
    constexpr DataType scalar = data_type_of<T>();
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
        entries.push_back({location_of(location.re, location, split, forms_),
                           location_of(location.im, location, split, forms_),
                           location.re_negative,
                           location.im_negative,
                           {},
                           {}});
        if (memory.kind == loops::Memory::Kind::planar) entries.back().im.in = ComponentLocation::In::second;
        for (const auto& group : groups.of_entry[k])
            for (const std::size_t factor : group) {
                std::vector<std::size_t>& all = entries.back().factors;
                if (!groups.twiddles[factor].is_one()) all.push_back(factors_.size() + factor);
                for (const loops::Location& at : groups.twiddles[factor].auxiliary)
                    entries.back().spectra.push_back({location_of(at.re, at, false, forms_), at.im_negative});
                if (is_large[factor]) all.push_back(left_out);
            }
    }
    for (const loops::Twiddle& factor : groups.twiddles)
        factors_.push_back(twiddle_of(factor, program.extents));
    factors_.push_back({static_cast<T>(lower::overflow_scale), 0, {}});
    return entries;
}

template <class T>
std::shared_ptr<const formula::ChirpSpectrum> PortableCall<T>::values_of(
    const formula::ChirpSpectrumFunction& function) const {
    for (const PortableFactor<T>& factor : factors_)
        if (factor.spectrum && factor.spectrum->function.order == function.order &&
            factor.spectrum->function.size == function.size)
            return factor.spectrum->values;
    return std::make_shared<const formula::ChirpSpectrum>(function.order, function.size);
}

template <class T>
PortableFactor<T> PortableCall<T>::twiddle_of(const loops::Twiddle& factor, const loops::Extents& extents) {
    if (factor.variables.empty())
        return {static_cast<T>(factor.constant.real()), static_cast<T>(factor.constant.imag()), {}};
    if (complex_ && factor.varying.size() == 1)
        if (const auto index = loops::index_of<formula::ChirpSpectrumFunction>(factor.varying[0], extents)) {
            PortableFactor<T> result{static_cast<T>(factor.constant.real()),
                                     static_cast<T>(factor.constant.imag()), forms_.add(*index)};
            const auto& function =
                std::get<formula::ChirpSpectrumFunction>(factor.varying[0].diagonal.function);
            result.spectrum = PortableSpectrum{function, index->constant(), values_of(function)};
            return result;
        }
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
    if (factor.spectrum) {
        const auto& [function, first, values] = *factor.spectrum;
        const formula::Complex constant(factor.re, factor.im);
        for (Integer l = 0; l < count; ++l) {
            const formula::Complex value =
                constant * values->of_function(first + bases[*factor.form][l], function.direction);
            factor_re[l] = static_cast<T>(value.real());
            factor_im[l] = static_cast<T>(value.imag());
        }
    } else if (factor.form) {
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
void PortableCall<T>::multiply(const Entry& entry, const PortableState<T>& state, T* re, T* im,
                               Integer count) const {
    for (const std::size_t factor : entry.factors) multiply(factors_[factor], state.bases, re, im, count);
    for (const auto& [location, conjugate] : entry.spectra)
        for (Integer l = 0; l < count; ++l) {
            const Integer at = state.bases[location.form][l] + location.offset;
            const T a = state.memory.auxiliary(spectrum_, true, false, at);
            if (!complex_) {
                re[l] *= a;
                continue;
            }
            const T component = state.memory.auxiliary(spectrum_, true, true, at);
            const T b = conjugate ? -component : component;
            const T x = re[l], y = im[l];
            re[l] = x * a - y * b;
            im[l] = x * b + y * a;
        }
}

template <class T>
void PortableCall<T>::load(const PortableState<T>& state, const LaneVector<T>& x, Integer count) const {
    const auto lanes_of = [&](std::size_t k) {
        return typename PortableElements<T>::Lanes{lane(x.re, k), complex_ ? lane(x.im, k) : nullptr};
    };
    if (loads_) loads_->load(state.memory, input_, state.bases, count, lanes_of);
    for (std::size_t k = 0; k < sources_.size(); ++k) {
        const Entry& entry = sources_[k];
        const auto [to_re, to_im] = lanes_of(k);
        if (!loads_) {
            gather(state.memory, input_, entry.re, state.bases, count, to_re);
            if (complex_) gather(state.memory, input_, entry.im, state.bases, count, to_im);
            if (entry.re_negative) negate(to_re, count);
            if (entry.im_negative) negate(to_im, count);
        }
        multiply(entry, state, to_re, to_im, count);
        pad(to_re, count, lanes_);
        if (complex_) pad(to_im, count, lanes_);
    }
}

template <class T>
void PortableCall<T>::store(const PortableState<T>& state, const LaneVector<T>& y, Integer count) const {
    const auto lanes_of = [&](std::size_t k) {
        return typename PortableElements<T>::Lanes{lane(y.re, k), complex_ ? lane(y.im, k) : nullptr};
    };
    for (std::size_t k = 0; k < targets_.size(); ++k) {
        const Entry& entry = targets_[k];
        const auto [from_re, from_im] = lanes_of(k);
        multiply(entry, state, from_re, from_im, count);
        if (stores_) continue;
        if (entry.re_negative) negate(from_re, count);
        if (entry.im_negative) negate(from_im, count);
        scatter(from_re, state.memory, output_, entry.re, state.bases, count);
        if (complex_) scatter(from_im, state.memory, output_, entry.im, state.bases, count);
    }
    if (stores_) stores_->store(state.memory, output_, state.bases, count, lanes_of);
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
