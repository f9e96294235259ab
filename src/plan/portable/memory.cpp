#include "plan/portable/memory.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <swirl/half.hpp>

#include <algorithm>

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

/// Calls f with a value of the type.
template <class F> auto with_type(DataType type, F&& f) {
    switch (type) {
    case DataType::float32: return f(float{});
    case DataType::float64: return f(double{});
    case DataType::float16: return f(float16{});
    case DataType::bfloat16: return f(bfloat16{});
    default: throw InternalError("a transform of {}", name_of(type));
    }
}

} // namespace

ComponentLocation location_of(const Affine& address, const loops::Location& location, bool split,
                              AddressForms& forms) {
    using In = ComponentLocation::In;
    if (!split) return {In::first, forms.add(address, location), address.constant()};
    if (!is_even(address)) return {In::either, forms.add(address, location), address.constant()};
    const Affine half = halved(address);
    return {address.constant() % 2 == 0 ? In::first : In::second, forms.add(half, location), half.constant()};
}

template <class T> T stored(const void* array, Integer at, DataType type) {
    return with_type(type, [&]<class S>(S) {
        const S value = static_cast<const S*>(array)[at];
        if constexpr (sizeof(S) == 2)
            return static_cast<T>(static_cast<float>(value));
        else
            return static_cast<T>(value);
    });
}

template <class T> void store(void* array, Integer at, DataType type, T value) {
    with_type(type, [&]<class S>(S) {
        if constexpr (sizeof(S) == 2)
            static_cast<S*>(array)[at] = S(static_cast<float>(value));
        else
            static_cast<S*>(array)[at] = static_cast<S>(value);
    });
}

template float stored(const void*, Integer, DataType);
template double stored(const void*, Integer, DataType);
template void store(void*, Integer, DataType, float);
template void store(void*, Integer, DataType, double);

} // namespace swirl::planning
