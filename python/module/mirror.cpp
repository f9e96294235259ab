#include "mirror.hpp"

#include <complex>
#include <cstddef>
#include <span>

namespace swirl::python {
namespace {

using Axis = Mirror::Axis;
using Role = Mirror::Role;

template <class Complex> void complete_along(std::span<const Axis> axes, Complex* to, const Complex* from) {
    if (axes.empty()) {
        *to = std::conj(*from);
        return;
    }
    const Axis& axis = axes.front();
    const auto inner = axes.subspan(1);
    const auto copy = [&](Integer first, Integer first_source, Integer step, Integer count) {
        Complex* target = to + first * axis.stride;
        const Complex* source = from + first_source * axis.stride;
        const std::ptrdiff_t source_step = step * axis.stride;
        if (inner.empty()) {
            for (Integer k = 0; k < count; ++k, target += axis.stride, source += source_step)
                *target = std::conj(*source);
        } else {
            for (Integer k = 0; k < count; ++k, target += axis.stride, source += source_step)
                complete_along(inner, target, source);
        }
    };
    switch (axis.role) {
    case Role::batch: return copy(0, 0, 1, axis.length);
    case Role::transformed: copy(0, 0, 1, 1); return copy(1, axis.length - 1, -1, axis.length - 1);
    case Role::half: {
        const Integer known = axis.length / 2 + 1;
        return copy(known, axis.length - known, -1, axis.length - known);
    }
    }
}

} // namespace

void Mirror::complete(void* spectrum) const {
    const std::span<const Axis> axes(axes_);
    if (type_ == DataType::complex64) {
        auto* const data = static_cast<std::complex<float>*>(spectrum);
        complete_along(axes, data, data);
    } else {
        auto* const data = static_cast<std::complex<double>*>(spectrum);
        complete_along(axes, data, data);
    }
}

} // namespace swirl::python
