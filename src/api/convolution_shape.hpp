#pragma once

#include <swirl/convolution.hpp>

#include "search/target.hpp"

#include <optional>
#include <string>
#include <vector>

/// Linear convolutions as circular ones.
namespace swirl::api {

/// One dimension of y[k] = z[start + k], 0 ≤ k < count, where z is the full convolution of n and m points, 0 beyond these.
struct ConvolutionAxis {
    Integer signal;
    Integer kernel;
    Integer start;
    Integer count;
};

/// A loop over signals: elements from one to the next in each array.
struct ConvolutionLoop {
    Integer count;
    Integer signal;
    Integer kernel; ///< 0: they share it
    Integer result;
};

/// A convolution, or one of its gradients.
struct ConvolutionShape {
    std::vector<ConvolutionAxis> axes;
    std::vector<Integer> signal_strides, kernel_strides, result_strides;
    std::vector<ConvolutionLoop> loops = {}; ///< outermost first
    bool is_correlation = false;
    bool is_reversed = false;  ///< results are conjugated, and written last one first along each dimension
    bool adds_signals = false; ///< the result is the sum of all signals' results

    Integer signals() const;
    Integer kernels() const;
    /// Elements from the first kernel, signal or result to those of a signal of the batch, by its number.
    Integer offset(Integer number, Integer ConvolutionLoop::*stride) const;
};

/// Throws UserError for an invalid problem.
ConvolutionShape shape_of(const ConvolutionProblem& problem);
/// The adjoint with respect to the signal, whose signal is the gradient by the results.
ConvolutionShape signal_gradient_of(const ConvolutionShape& shape);
/// The adjoint with respect to the kernel, whose kernel is the gradient by the results. Of a shape that is not reversed.
ConvolutionShape kernel_gradient_of(const ConvolutionShape& shape);

/// Of an array with these lengths.
Integer elements_of(const std::vector<Integer>& lengths);

/// "convolution of 100000 with 500, same, float32, batch 10", for messages.
std::string to_text(const ConvolutionProblem& problem);

/// A circular convolution that computes some of the results.
struct CircularPart {
    Transform problem;
    Integer input = 0;  ///< elements from the signal to the element with index 0
    Integer output = 0; ///< the same of the results
    std::vector<Integer> lengths = {};
    /// Pairs of neighbouring real blocks as real and imaginary components, planar: the kernel is real, so both are convolved. The
    /// imaginary components begin so many elements after the real ones.
    struct Pairs {
        Integer input, output;
    };
    std::optional<Pairs> pairs = {};
    bool has_all_signals = true; ///< in its batch; else it is executed for each signal with its kernel
};

/// The parts; one, or in one dimension several blocks and the ends. Throws UserError if transform lengths are given and too short.
std::vector<CircularPart> parts_of(const ConvolutionShape& shape, const ConvolutionProblem& problem,
                                   const search::Target& target);

/// The transform of the zero-padded kernels, or of the reversed kernels' conjugates.
CircularPart kernel_transform_of(const ConvolutionShape& shape, const ConvolutionProblem& problem,
                                 const std::vector<Integer>& lengths);

} // namespace swirl::api
