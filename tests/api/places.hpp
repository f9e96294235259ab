#pragma once

#include <swirl/plan.hpp>

#include "api/definition.hpp"

#include <algorithm>
#include <complex>
#include <vector>

/// Transforms of every kind in arrays of scalars.
namespace definition {

/// One side of a problem of strides that are not negative: which scalars its elements are.
class Places {
public:
    Places(const swirl::Transform& problem, bool input)
        : offsets_(definition::offsets(problem, input)),
          is_complex_(problem.kind == swirl::TransformKind::dft || is_half_spectrum(problem, input)) {}

    bool is_complex() const { return is_complex_; }
    std::size_t scalars() const {
        const auto elements = static_cast<std::size_t>(*std::max_element(offsets_.begin(), offsets_.end()));
        return (elements + 1) * (is_complex_ ? 2 : 1);
    }
    template <class T> void write(std::vector<T>& scalars, const std::vector<LongComplex>& elements) const {
        for (std::size_t i = 0; i < offsets_.size(); ++i) {
            scalars[first(i)] = static_cast<T>(elements[i].real());
            if (is_complex_) scalars[first(i) + 1] = static_cast<T>(elements[i].imag());
        }
    }
    template <class T> std::vector<LongComplex> read(const std::vector<T>& scalars) const {
        std::vector<LongComplex> elements;
        for (std::size_t i = 0; i < offsets_.size(); ++i)
            elements.push_back({scalars[first(i)], is_complex_ ? scalars[first(i) + 1] : T(0)});
        return elements;
    }

private:
    std::size_t first(std::size_t i) const {
        return static_cast<std::size_t>(offsets_[i]) * (is_complex_ ? 2 : 1);
    }

    std::vector<Integer> offsets_;
    bool is_complex_;
};

template <class T> std::complex<T>* pairs(T* scalars) { return reinterpret_cast<std::complex<T>*>(scalars); }

/// Calls the execute() of the sides' types.
template <class T>
void execute(const swirl::Plan& plan, const Places& input, T* in, const Places& output, T* out) {
    if (input.is_complex() && output.is_complex())
        plan.execute(pairs(in), pairs(out));
    else if (input.is_complex())
        plan.execute(pairs(in), out);
    else if (output.is_complex())
        plan.execute(in, pairs(out));
    else
        plan.execute(in, out);
}

} // namespace definition
