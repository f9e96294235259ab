#pragma once

#include <swirl/transform.hpp>

#include <algorithm>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

/// The complex DFT by its definition, for arrays of any shape, and where a problem's elements lie.
namespace definition {

using swirl::Integer;
using LongComplex = std::complex<long double>;

/// Whether a side of a problem is the half spectrum of real data: n/2+1 of n elements along its last dimension.
inline bool is_half_spectrum(const swirl::Transform& problem, bool input) {
    const bool is_spectrum = (problem.direction == swirl::Direction::backward) == input;
    return problem.kind == swirl::TransformKind::real_dft && is_spectrum;
}

/// Offsets of all elements of one side, relative to the pointer, row-major, batches first.
inline std::vector<Integer> offsets(const swirl::Transform& problem, bool input) {
    std::vector<Integer> result{0};
    const auto extend = [&](const swirl::Dimension& axis) {
        std::vector<Integer> longer;
        for (const Integer start : result)
            for (Integer i = 0; i < axis.length; ++i)
                longer.push_back(start + i * (input ? axis.input_stride : axis.output_stride));
        result = longer;
    };
    for (const auto& axis : problem.batches) extend(axis);
    std::vector<swirl::Dimension> stored = problem.dimensions;
    if (is_half_spectrum(problem, input)) stored.back().length = stored.back().length / 2 + 1;
    for (const auto& axis : stored) extend(axis);
    return result;
}

inline std::vector<LongComplex> dft_of_one(const swirl::Transform& problem,
                                           const std::vector<LongComplex>& x) {
    const long double sign = problem.direction == swirl::Direction::forward ? -1 : 1;
    std::vector<std::vector<LongComplex>> roots; // e^(±2πi·k/n), by dimension
    for (const auto& axis : problem.dimensions) {
        roots.emplace_back();
        for (Integer k = 0; k < axis.length; ++k)
            roots.back().push_back(
                std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                     static_cast<long double>(axis.length)));
    }
    std::vector<LongComplex> y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t j = 0; j < x.size(); ++j) {
            LongComplex term = x[j];
            std::size_t rest_j = j, rest_k = k;
            for (std::size_t d = roots.size(); d-- > 0;) {
                const std::size_t n = roots[d].size();
                const LongComplex& root = roots[d][rest_j % n * (rest_k % n) % n];
                term = {term.real() * root.real() - term.imag() * root.imag(),
                        term.real() * root.imag() + term.imag() * root.real()};
                rest_j /= n;
                rest_k /= n;
            }
            y[k] += term;
        }
    for (LongComplex& value : y) value *= static_cast<long double>(problem.scale);
    return y;
}

/// All batches.
inline std::vector<LongComplex> dft(const swirl::Transform& problem, const std::vector<LongComplex>& x) {
    std::size_t each = 1;
    for (const auto& axis : problem.dimensions) each *= static_cast<std::size_t>(axis.length);
    std::vector<LongComplex> y;
    for (auto start = x.begin(); start != x.end(); start += static_cast<std::ptrdiff_t>(each)) {
        const auto one = dft_of_one(problem, {start, start + static_cast<std::ptrdiff_t>(each)});
        y.insert(y.end(), one.begin(), one.end());
    }
    return y;
}

/// An array for every element of one side, for strides of any sign.
template <class Element> class Array {
public:
    Array(const swirl::Transform& problem, bool input) : offsets_(offsets(problem, input)) {
        Integer lowest = 0, highest = 0;
        for (const Integer offset : offsets_) {
            lowest = std::min(lowest, offset);
            highest = std::max(highest, offset);
        }
        elements_.resize(static_cast<std::size_t>(highest - lowest + 1));
        origin_ = -lowest;
    }
    Element* data() { return elements_.data() + origin_; }
    std::size_t size() const { return offsets_.size(); }
    Element& operator[](std::size_t i) { return elements_[static_cast<std::size_t>(origin_ + offsets_[i])]; }
    std::vector<Element>& all() { return elements_; }

private:
    std::vector<Integer> offsets_;
    std::vector<Element> elements_;
    Integer origin_ = 0;
};

inline long double relative_error(const std::vector<LongComplex>& a, const std::vector<LongComplex>& b) {
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::norm(a[i] - b[i]);
        norm += std::norm(b[i]);
    }
    return std::sqrt(difference / norm);
}

} // namespace definition
