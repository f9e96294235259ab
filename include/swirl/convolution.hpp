/// Linear convolutions and correlations of signals with a kernel that stays the same for many of them.
///
///     const swirl::ConvolutionProblem problem{.signal = {100'000}, .kernel = {500}, .mode = swirl::ConvolutionMode::same};
///     swirl::Convolution filter(problem);
///     filter.set_kernel(taps);
///     filter.execute(signal, result); // 100'000 samples each
///
/// Zero padding, its length and, for long signals, blocks (overlap-save) are chosen by the planner's model. Signals are read where
/// they are and results written where they belong: nothing is copied.
#pragma once

#include <swirl/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace swirl {

constexpr std::size_t most_convolution_dimensions = 3;

/// Which of the n + m − 1 results of n points and a kernel of m are computed, along each dimension.
enum class ConvolutionMode : std::uint8_t {
    full,
    same,   ///< n, from result (m − 1)/2 on, as SciPy and NumPy count
    valid,  ///< n − m + 1, to which all of the kernel contributes
    causal, ///< the first n
};

/// y[k] = Σ_j x[j]·h[k − j], or as a correlation Σ_j x[j]·conj(h[m − 1 − k + j]), as scipy.signal.correlate. Kernels are contiguous,
/// row-major over the batch, if each signal has its own, and the dimensions.
struct ConvolutionProblem {
    std::vector<Integer> signal; ///< lengths of one to three dimensions, slowest first
    std::vector<Integer> kernel; ///< as many
    ConvolutionMode mode = ConvolutionMode::full;
    bool is_correlation = false;
    bool is_complex = false;
    DataType precision = DataType::float64;   ///< of the components of all arrays
    std::vector<Batch> batches = {};          ///< loops over signals, outermost first
    Sharing kernels = Sharing::shared;        ///< one for all signals, or one for each
    std::vector<Integer> signal_strides = {}; ///< one for each dimension; empty: contiguous, row-major
    std::vector<Integer> result_strides = {};
    /// Lengths of the circular convolution that computes the linear one; empty: chosen by the model, with several blocks for a long
    /// signal. For Convolution::set_spectrum.
    std::vector<Integer> transform = {};
};

namespace api {
class PlannedConvolution;
struct ConvolutionKernel;
} // namespace api

/// A linear convolution ready to run. Copies share plans and, until one of them gets another, the kernel. Any number of threads
/// may call execute() at once, but not while another sets the kernel.
class SWIRL_API Convolution {
public:
    Convolution() = default;
    /// Throws UserError for lengths below 1, more than three dimensions, or as many kernel's as signal's, for `valid` with a kernel
    /// longer than the signal, and for transform lengths that are too short; and what swirl::plan throws.
    explicit Convolution(const ConvolutionProblem& problem, const Options& options = {});
    explicit operator bool() const noexcept { return plans_ != nullptr; }

    /// Transforms the kernel, or all kernels of a batch. On a GPU the work is enqueued, and executions in other streams must wait
    /// for it. The arrays may be overwritten when it is done.
    void set_kernel(const Input& kernel, gpu::Stream stream = {});
    /// Takes the transform of the zero-padded kernel, or all kernels, as a dft or an rdft of transform_lengths() has it: of a real
    /// kernel the half spectrum. Of a correlation, the spectrum of the reversed kernel's conjugate. It is not copied, and must
    /// stay valid. Throws UserError if a long signal is cut into blocks.
    void set_spectrum(const Input& spectrum);

    /// Throws UserError, before anything is written, if there is no kernel yet, and for null, misaligned, overlapping or too small
    /// arrays, or arrays on another device. On a GPU the work is enqueued, as by Plan::execute.
    void execute(const Input& signal, const Output& result, gpu::Stream stream = {},
                 Workspace workspace = {}) const;

    const ConvolutionProblem& problem() const; ///< of a gradient, the problem that it belongs to
    const std::vector<Integer>& signal_lengths() const;
    const std::vector<Integer>& kernel_lengths() const;
    const std::vector<Integer>& result_lengths() const;
    /// Of the circular convolutions of most of the signal.
    const std::vector<Integer>& transform_lengths() const;
    Device device() const;
    std::size_t workspace_bytes() const;
    std::string description() const; ///< lines of text: the circular convolutions and their schedules

    /// The adjoint: takes the gradient g of a function by this convolution's results to its gradient by the signals. The kernel is
    /// the same and has to be set: another form of its spectrum is used.
    ///
    ///     swirl::Convolution back = filter.signal_gradient();
    ///     back.set_kernel(taps);
    ///     back.execute(g, gradient_by_signal);
    Convolution signal_gradient() const;
    /// Gives the gradient by the kernel, where g is set as the kernel and the signal is the signal:
    ///
    ///     swirl::Convolution by_kernel = filter.kernel_gradient();
    ///     by_kernel.set_kernel(g);
    ///     by_kernel.execute(signal, gradient_by_kernel);
    ///
    /// Of a batch with a kernel each, each signal has its own result. If the signals share a kernel, the result is one kernel's
    /// gradient, the sum over the batch; the results of all signals are part of the workspace. Throws Unsupported for what
    /// kernel_gradient() returned.
    Convolution kernel_gradient() const;

private:
    explicit Convolution(std::shared_ptr<const api::PlannedConvolution> plans) : plans_(std::move(plans)) {}

    std::shared_ptr<const api::PlannedConvolution> plans_;
    std::shared_ptr<const api::ConvolutionKernel> kernel_;
};

} // namespace swirl
