#include <swirl/convolution.hpp>
#include <swirl/gpu.hpp>

#include "api/access.hpp"
#include "api/arguments.hpp"
#include "api/convolution_shape.hpp"
#include "api/device_memory.hpp"
#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/data_type.hpp"
#include "problem/overlap.hpp"
#include "problem/problem.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <optional>
#include <utility>

namespace swirl {

namespace api {

namespace {

detail::ElementType known_type(DataType type) {
    return {detail::ElementType::Known::type, static_cast<std::uint8_t>(bytes_of(type)), type};
}

/// The address of the element with an index, which may lie outside of the array.
template <class Pointer> Pointer moved(Pointer data, Integer bytes) {
    return reinterpret_cast<Pointer>(reinterpret_cast<std::intptr_t>(data) + bytes);
}

std::vector<Integer> lengths_of(const ConvolutionShape& shape, Integer ConvolutionAxis::*length) {
    std::vector<Integer> result;
    for (const ConvolutionAxis& axis : shape.axes) result.push_back(axis.*length);
    return result;
}

} // namespace

/// The elements of an array.
struct ConvolutionArray {
    ConvolutionArray(const std::vector<ConvolutionLoop>& loops, const std::vector<Integer>& lengths,
                     const std::vector<Integer>& strides, Integer ConvolutionLoop::*loop_stride,
                     Integer bytes) {
        elements.bytes = bytes;
        for (const ConvolutionLoop& loop : loops) elements.axes.push_back({loop.count, loop.*loop_stride});
        for (std::size_t d = 0; d < lengths.size(); ++d) elements.axes.push_back({lengths[d], strides[d]});
        for (const Axis& axis : elements.axes)
            (axis.stride < 0 ? reach.lowest : reach.highest) += (axis.length - 1) * axis.stride;
    }

    bool shares_a_byte(const void* data, const ConvolutionArray& other, const void* other_data) const {
        const auto first = reinterpret_cast<std::intptr_t>(data),
                   second = reinterpret_cast<std::intptr_t>(other_data);
        const bool is_apart =
            first + (reach.highest + 1) * elements.bytes <= second + other.reach.lowest * elements.bytes ||
            second + (other.reach.highest + 1) * elements.bytes <= first + reach.lowest * elements.bytes;
        return !is_apart && share_a_byte(elements, data, other.elements, other_data);
    }

    Elements elements;
    Extent reach; ///< in elements
};

/// Adds up contiguous results of signals: the product of a row of ones with the matrix of their reals.
class SumOfSignals {
public:
    /// Of `elements` of a type, `data_type`, for each signal.
    SumOfSignals(Integer signals, Integer elements, DataType data_type, const Options& options)
        : ones_(std::vector<double>(static_cast<std::size_t>(signals), 1), component_of(data_type),
                options.device),
          bytes_(ceil_divide(signals * elements * bytes_of(data_type), alignment) * alignment) {
        const DataType real = component_of(data_type);
        const DataType accumulator = bytes_of(real) < 4 ? DataType::float32 : real;
        MatrixProduct product =
            MatrixProduct::row_major(accumulator, 1, elements * (is_complex(data_type) ? 2 : 1), signals);
        product.a_type = product.b_type = product.c_type = real;
        plan_ = swirl::plan(product, options);
    }

    std::size_t results_bytes() const { return static_cast<std::size_t>(bytes_); } ///< of all signals
    std::size_t workspace_bytes() const { return plan_.workspace_bytes(); }
    void execute(const void* results, void* sum, gpu::Stream stream, Workspace workspace) const {
        plan_.execute(1.0, ones_.data(), results, 0.0, sum, stream, workspace);
    }

private:
    static constexpr Integer alignment = 256; ///< of the workspace behind the results

    DeviceValues ones_;
    Integer bytes_;
    Plan plan_;
};

/// Plans of a convolution, and how its arrays lie.
class PlannedConvolution {
public:
    struct Part {
        CircularPart circular;
        Plan plan;
        std::size_t spectrum; ///< index in `spectra`
    };
    /// One form of the kernel: its transform of some lengths.
    struct Spectrum {
        std::vector<Integer> lengths;
        bool is_whole; ///< of a real kernel: both halves, planar, for blocks in pairs
        CircularPart kernel;
        Plan plan;
        Integer elements; ///< complex ones that the plan writes, of one kernel

        Integer stored_elements() const { return is_whole ? lengths[0] : elements; }
    };

    PlannedConvolution(ConvolutionProblem given, ConvolutionShape of, Options with)
        : problem(std::move(given)),
          shape(std::move(of)),
          options(std::move(with)),
          signal(lengths_of(shape, &ConvolutionAxis::signal)),
          kernel(lengths_of(shape, &ConvolutionAxis::kernel)),
          results(lengths_of(shape, &ConvolutionAxis::count)),
          signal_array(shape.loops, signal, shape.signal_strides, &ConvolutionLoop::signal, element_bytes()),
          kernel_array(shape.loops, kernel, shape.kernel_strides, &ConvolutionLoop::kernel, element_bytes()),
          result_array(shape.adds_signals ? std::vector<ConvolutionLoop>{} : shape.loops, results,
                       shape.result_strides, &ConvolutionLoop::result, element_bytes()) {
        if (shape.adds_signals) sum.emplace(shape.signals(), elements_of(results), element(), options);
        for (CircularPart& part : parts_of(shape, problem, search::target_of(options))) {
            Plan plan = swirl::plan(part.problem, options);
            const std::size_t index = spectrum_of(part.lengths, part.pairs.has_value());
            parts.push_back({std::move(part), std::move(plan), index});
        }
    }

    Integer element_bytes() const { return bytes_of(element()); }
    DataType element() const {
        return problem.is_complex ? complex_of(problem.precision) : problem.precision;
    }
    Integer spectrum_bytes() const { return bytes_of(complex_of(problem.precision)); }

    std::size_t workspace_bytes() const {
        std::size_t bytes = 0;
        for (const Part& part : parts) bytes = std::max(bytes, part.plan.workspace_bytes());
        if (sum) bytes = std::max(bytes, sum->workspace_bytes()) + sum->results_bytes();
        return bytes;
    }

    /// Throws UserError unless the array has this type and all elements of this reach.
    void check(const char* name, const detail::ArrayArgument& array, const Extent& reach, DataType type,
               bool is_written) const {
        if (array.data == nullptr)
            throw UserError("{} is null\n  problem: {}\n  it must point to the element with index 0", name,
                            to_text(problem));
        if (fits_at_a_glance(array, known_type(type))) return;
        check_array(to_text(problem), {name, known_type(type), reach, is_written}, array);
    }

    ConvolutionProblem problem;
    ConvolutionShape shape;
    Options options;
    std::vector<Integer> signal, kernel, results;
    ConvolutionArray signal_array, kernel_array, result_array;
    std::vector<Part> parts;
    std::vector<Spectrum> spectra;
    std::optional<SumOfSignals> sum; ///< if the result is that of all signals

private:
    std::size_t spectrum_of(const std::vector<Integer>& lengths, bool is_whole) {
        for (std::size_t k = 0; k < spectra.size(); ++k)
            if (spectra[k].lengths == lengths && spectra[k].is_whole == is_whole) return k;
        Spectrum spectrum{lengths, is_whole, kernel_transform_of(shape, problem, lengths), {}, 1};
        for (std::size_t d = 0; d < lengths.size(); ++d)
            spectrum.elements *= stored_length(spectrum.kernel.problem, d, Side::output);
        spectrum.plan = swirl::plan(spectrum.kernel.problem, options);
        spectra.push_back(std::move(spectrum));
        return spectra.size() - 1;
    }
};

/// A kernel's spectra, and the plans of the parts with them: one, or one for each signal.
struct ConvolutionKernel {
    std::vector<DeviceMemory> memory;
    std::vector<std::vector<Plan>> plans;
};

namespace {

/// The plans with spectra at these addresses.
std::vector<std::vector<Plan>> plans_with(const PlannedConvolution& plans,
                                          const std::vector<const void*>& spectra) {
    std::vector<std::vector<Plan>> result;
    for (const PlannedConvolution::Part& part : plans.parts) {
        std::vector<Plan>& own = result.emplace_back();
        const PlannedConvolution::Spectrum& spectrum = plans.spectra[part.spectrum];
        const Integer count = part.circular.has_all_signals ? 1 : plans.shape.signals();
        const Integer bytes = spectrum.stored_elements() * plans.spectrum_bytes();
        for (Integer k = 0; k < count; ++k) {
            const void* const data = moved(spectra[part.spectrum], k * bytes);
            own.push_back(spectrum.is_whole ? part.plan.with("spectrum", data, moved(data, bytes / 2))
                                            : part.plan.with("spectrum", data));
        }
    }
    return result;
}

/// Both halves of the spectra of real kernels, planar.
template <class Real> void complete_spectra(const void* of_half, void* of_whole, Integer kernels, Integer n) {
    const auto* half = static_cast<const std::complex<Real>*>(of_half);
    auto* whole = static_cast<Real*>(of_whole);
    for (Integer k = 0; k < kernels; ++k, half += n / 2 + 1, whole += 2 * n)
        for (Integer f = 0; f < n; ++f) {
            const std::complex<Real> value = half[std::min(f, n - f)];
            whole[f] = value.real();
            whole[n + f] = 2 * f <= n ? value.imag() : -value.imag();
        }
}

const PlannedConvolution& planned(const std::shared_ptr<const PlannedConvolution>& plans) {
    if (plans == nullptr)
        throw UserError("the convolution is empty\n  assign swirl::Convolution(problem) first");
    return *plans;
}

} // namespace

} // namespace api

using api::PlannedConvolution;

Convolution::Convolution(const ConvolutionProblem& problem, const Options& options)
    : plans_(std::make_shared<const PlannedConvolution>(problem, api::shape_of(problem), options)) {}

void Convolution::set_kernel(const Input& kernel, gpu::Stream stream) {
    const PlannedConvolution& plans = api::planned(plans_);
    plans.check("kernel", kernel.array(), plans.kernel_array.reach, plans.element(), false);
    auto made = std::make_shared<api::ConvolutionKernel>();
    const bool is_own = kernel_ != nullptr && kernel_.use_count() == 1 && !kernel_->memory.empty();
    std::vector<const void*> spectra;
    for (std::size_t k = 0; k < plans.spectra.size(); ++k) {
        const PlannedConvolution::Spectrum& spectrum = plans.spectra[k];
        const Integer kernels = plans.shape.kernels();
        const auto bytes_of = [&](Integer elements) {
            return static_cast<std::size_t>(elements * kernels * plans.spectrum_bytes());
        };
        if (!is_own) made->memory.emplace_back(bytes_of(spectrum.stored_elements()), device());
        void* const to = is_own ? kernel_->memory[k].data() : made->memory.back().data();
        spectra.push_back(to);
        const void* const from = api::moved(static_cast<const void*>(kernel.array().data),
                                            spectrum.kernel.input * plans.element_bytes());
        if (!spectrum.is_whole) {
            spectrum.plan.execute(from, to, stream);
            continue;
        }
        const api::DeviceMemory half(bytes_of(spectrum.elements), device());
        spectrum.plan.execute(from, half.data());
        const bool is_float32 = plans.problem.precision == DataType::float32;
        (is_float32 ? api::complete_spectra<float> : api::complete_spectra<double>)(half.data(), to, kernels,
                                                                                    spectrum.lengths[0]);
    }
    if (is_own) return;
    made->plans = api::plans_with(plans, spectra);
    kernel_ = std::move(made);
}

void Convolution::set_spectrum(const Input& spectrum) {
    const PlannedConvolution& plans = api::planned(plans_);
    if (plans.spectra.size() != 1 || plans.spectra[0].is_whole)
        throw UserError(
            "the signal is cut into blocks of {} points, which take several forms of the spectrum\n  "
            "problem: "
            "{}\n  give the kernel itself, or prescribe the length of one transform for all "
            "(ConvolutionProblem::transform)",
            plans.spectra[0].lengths[0], api::to_text(plans.problem));
    plans.check("spectrum", spectrum.array(), {0, plans.spectra[0].elements * plans.shape.kernels() - 1},
                complex_of(plans.problem.precision), false);
    auto made = std::make_shared<api::ConvolutionKernel>();
    made->plans = api::plans_with(plans, {spectrum.array().data});
    kernel_ = std::move(made);
}

void Convolution::execute(const Input& signal, const Output& result, gpu::Stream stream,
                          Workspace workspace) const {
    const PlannedConvolution& plans = api::planned(plans_);
    if (kernel_ == nullptr)
        throw UserError("the convolution has no kernel\n  problem: {}\n  call set_kernel first",
                        api::to_text(plans.problem));
    plans.check("signal", signal.array(), plans.signal_array.reach, plans.element(), false);
    plans.check("result", result.array(), plans.result_array.reach, plans.element(), true);
    const Integer bytes = plans.element_bytes();
    const void* const from = signal.array().data;
    void* const given = result.array().data;
    if (plans.signal_array.shares_a_byte(from, plans.result_array, given))
        throw UserError("signal = {} and result = {} overlap\n  problem: {}\n  use separate arrays", from,
                        given, api::to_text(plans.problem));
    void* to = given;
    std::optional<api::DeviceScratch> of_signals;
    if (plans.sum && workspace.data == nullptr) {
        of_signals.emplace(plans.sum->results_bytes(), device(), stream);
        to = of_signals->data();
    } else if (plans.sum) {
        if (workspace.bytes < plans.workspace_bytes())
            throw UserError("the workspace has {} bytes\n  problem: {}\n  it takes {}", workspace.bytes,
                            api::to_text(plans.problem), plans.workspace_bytes());
        to = workspace.data;
        workspace.data = static_cast<std::byte*>(workspace.data) + plans.sum->results_bytes();
        workspace.bytes -= plans.sum->results_bytes();
    }
    for (std::size_t k = 0; k < plans.parts.size(); ++k) {
        const api::CircularPart& part = plans.parts[k].circular;
        const std::vector<Plan>& own = kernel_->plans[k];
        for (std::size_t b = 0; b < own.size(); ++b) {
            const auto at = static_cast<Integer>(b);
            const Integer in = plans.shape.offset(at, &api::ConvolutionLoop::signal) + part.input,
                          out = plans.shape.offset(at, &api::ConvolutionLoop::result) + part.output;
            const void* const first = api::moved(from, in * bytes);
            void* const of_first = api::moved(to, out * bytes);
            if (part.pairs)
                own[b].execute(first, api::moved(first, part.pairs->input * bytes), of_first,
                               api::moved(of_first, part.pairs->output * bytes), stream, workspace);
            else
                own[b].execute(first, of_first, stream, workspace);
        }
    }
    if (plans.sum) plans.sum->execute(to, given, stream, workspace);
}

const ConvolutionProblem& Convolution::problem() const { return api::planned(plans_).problem; }
const std::vector<Integer>& Convolution::signal_lengths() const { return api::planned(plans_).signal; }
const std::vector<Integer>& Convolution::kernel_lengths() const { return api::planned(plans_).kernel; }
const std::vector<Integer>& Convolution::result_lengths() const { return api::planned(plans_).results; }
const std::vector<Integer>& Convolution::transform_lengths() const {
    return api::planned(plans_).parts.front().circular.lengths;
}
Device Convolution::device() const { return api::planned(plans_).options.device; }
std::size_t Convolution::workspace_bytes() const { return api::planned(plans_).workspace_bytes(); }

std::string Convolution::description() const {
    const PlannedConvolution& plans = api::planned(plans_);
    std::string text = api::to_text(plans.problem);
    for (const PlannedConvolution::Part& part : plans.parts)
        text += fmt::format("\n  {}\n    {}", swirl::to_text(part.plan.problem()), part.plan.schedule());
    return text;
}

namespace {

std::shared_ptr<const PlannedConvolution> gradient(const PlannedConvolution& plans,
                                                   api::ConvolutionShape shape) {
    ConvolutionProblem problem = plans.problem;
    problem.transform.clear();
    return std::make_shared<const PlannedConvolution>(std::move(problem), std::move(shape), plans.options);
}

} // namespace

Convolution Convolution::signal_gradient() const {
    const PlannedConvolution& plans = api::planned(plans_);
    if (plans.shape.is_reversed) throw Unsupported("the gradient of a gradient by a convolution's kernel");
    return Convolution(gradient(plans, api::signal_gradient_of(plans.shape)));
}

Convolution Convolution::kernel_gradient() const {
    const PlannedConvolution& plans = api::planned(plans_);
    if (plans.shape.is_reversed) throw Unsupported("the gradient of a gradient by a convolution's kernel");
    ConvolutionProblem problem = plans.problem;
    problem.transform.clear();
    return Convolution(std::make_shared<const PlannedConvolution>(
        std::move(problem), api::kernel_gradient_of(plans.shape), plans.options));
}

} // namespace swirl
