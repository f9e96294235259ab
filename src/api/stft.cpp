#include <swirl/stft.hpp>

#include <swirl/plan.hpp>
#include <swirl/transform.hpp>

#include "api/device_memory.hpp"
#include "api/mel_matrix.hpp"
#include "api/stft_matrices.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "problem/data_type.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

namespace swirl {

namespace {

using detail::ArrayArgument;
using detail::ElementType;

std::vector<double> hann_window(Integer n) {
    std::vector<double> window;
    for (Integer j = 0; j < n; ++j) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
        window.push_back(0.5 - 0.5 * std::cos(angle));
    }
    return window;
}

std::size_t size_of(Integer bytes) { return static_cast<std::size_t>(bytes); }

void check_array(const char* name, const ArrayArgument& array, DataType type, Integer elements,
                 bool is_written) {
    const auto size = static_cast<std::size_t>(bytes_of(type));
    if (array.data == nullptr) throw UserError("argument '{}' is a null pointer", name);
    if (is_written && array.is_const)
        throw UserError("argument '{}' is of const elements, but written", name);
    const bool fits =
        array.type.known == ElementType::Known::nothing ||
        (array.type.known == ElementType::Known::bytes ? array.type.bytes == size : array.type.type == type);
    if (!fits) throw UserError("argument '{}' has another element type\n  it takes {}", name, name_of(type));
    if (array.elements != ArrayArgument::unknown && array.elements < static_cast<std::size_t>(elements))
        throw UserError("argument '{}' has {} elements\n  it takes at least {}", name, array.elements,
                        elements);
}

} // namespace

struct Stft::State {
    /// Neighbouring frames of each signal that one plan transforms.
    struct FramePart {
        Integer first; ///< frame
        Integer count;
        Integer origin; ///< first sample that is read: of the first frame, or for `extend`
        /// Where frames reach beyond the signal: writes the samples of these frames, one signal after the other.
        std::optional<Plan> extend = {};
        Integer extended = 0; ///< samples that it writes of each signal
        Plan spectra = {};
    };

    Integer samples, n_fft, hop, start, frames, bins;
    StftOptions stft;
    Options options;
    Integer first_used; ///< sample of a frame that the window multiplies first
    std::optional<api::DeviceValues> window;
    std::vector<FramePart> parts;

    struct InversePlans {
        std::optional<api::DeviceValues> weights;
        Plan frames, sum;
    };
    /// Powers of some neighbouring frames of a part, and their sums by filters.
    struct MelPlans {
        Integer frames; ///< of each signal
        Plan powers, sums;
    };
    /// Of a part: for most frames, and for those that are left.
    using MelPlansOfPart = std::vector<MelPlans>;

    mutable ForkSafeMutex planning;
    mutable std::unique_ptr<const std::vector<Plan>> power_plans;         ///< by part
    mutable std::unique_ptr<const std::vector<MelPlansOfPart>> mel_plans; ///< by part
    mutable std::unique_ptr<const InversePlans> inverse_plans;

    State(Integer samples, Integer n_fft, StftOptions stft, Options options);

    bool is_gpu() const { return options.device.is_gpu(); }
    bool has_complex_samples() const { return swirl::is_complex(stft.data_type); }
    DataType real() const { return component_of(stft.data_type); }
    Integer sample_bytes() const { return bytes_of(stft.data_type); }
    Integer spectrum_bytes() const { return bytes_of(complex_of(real())); }
    Integer power_bytes() const { return bytes_of(real()); }
    Integer used() const { return static_cast<Integer>(stft.window.size()); }
    Integer signal_span() const { return (stft.signals - 1) * stft.signal_stride + samples; }

    /// "x * w[i]", where the window is.
    Expression windowed() const {
        std::string text = "x * w[i]";
        if (used() < n_fft)
            text += " where i >= " + std::to_string(first_used) + " and i < " +
                    std::to_string(first_used + used());
        return Expression(text);
    }
    Plan planned(const Transform& problem) const { return swirl::plan(problem, options); }

    /// Samples from one signal to the next where a part's frames are read.
    Integer stride_of(const FramePart& part) const {
        return part.extend ? part.extended : stft.signal_stride;
    }

    /// Of a part's frames of all signals, to spectra or what a store callback makes of them.
    Plan plan_frames(const FramePart& part, Expression store) const {
        return plan_frames({{stft.signals, stride_of(part), frames * bins}, {part.count, hop, bins}},
                           std::move(store));
    }
    Plan plan_frames(std::vector<Batch> batches, Expression store) const {
        TransformOptions given{.precision = real(),
                               .batches = std::move(batches),
                               .scale = stft.scale,
                               .load = windowed(),
                               .store = std::move(store)};
        const TransformKind kind = has_complex_samples() ? TransformKind::dft : TransformKind::real_dft;
        return planned(Transform::make(kind, {n_fft}, given)).with("w", window->data());
    }
    /// Of reals, or of complex samples.
    Plan plan_matrix(const formula::Formula& matrix, std::vector<Batch> batches, Expression store) const {
        TransformOptions given{.precision = real(), .batches = std::move(batches), .store = std::move(store)};
        const TransformKind kind =
            has_complex_samples() ? TransformKind::formula : TransformKind::real_formula;
        return planned(Transform::of_matrix(kind, MatrixFormula(matrix), given));
    }

    void check_mel() const {
        constexpr Integer most = 4096, longest = Integer{1} << 14; // the filters are straight-line code
        const MelFilters& mel = stft.mel;
        if (mel.count == 0) return;
        if (mel.count < 0 || mel.count > most)
            throw UserError("mel.count is {}\n  it is from 0 to {}", mel.count, most);
        if (has_complex_samples())
            throw UserError("mel filters of complex samples\n  use data of float32 or float64");
        if (n_fft > longest)
            throw UserError("mel filters of an n_fft of {}\n  it is at most {}", n_fft, longest);
        if (!(mel.sample_rate > 0) || !std::isfinite(mel.sample_rate))
            throw UserError("mel.sample_rate is {}\n  it is above 0, in Hz", mel.sample_rate);
        const double highest = mel.highest == 0 ? mel.sample_rate / 2 : mel.highest;
        if (!(mel.lowest >= 0 && mel.lowest < highest && highest <= mel.sample_rate / 2))
            throw UserError(
                "mel filters from {} to {} Hz at a sample rate of {} Hz\n  lowest < highest, up to half the "
                "rate",
                mel.lowest, highest, mel.sample_rate);
    }

    void add_part(Integer first, Integer end) {
        if (first < end) parts.push_back(part_of(first, end));
    }
    FramePart part_of(Integer first, Integer end) const {
        FramePart part{first, end - first, first * hop - start};
        const Integer length = (part.count - 1) * hop + n_fft;
        if (part.origin < 0 || part.origin + length > samples) {
            const api::ExtendedRange range =
                api::extended_range(samples, part.origin, length, stft.ends == StftEnds::reflect);
            part.origin = range.first;
            part.extended = length;
            part.extend = plan_matrix(range.matrix, {{stft.signals, stft.signal_stride, length}}, {});
        }
        part.spectra = plan_frames(part, {});
        return part;
    }

    /// The samples of a part's frames: of the caller, or extended.
    struct Source {
        std::optional<api::DeviceScratch> extended;
        const std::byte* data;
    };
    Source source_of(const FramePart& part, const std::byte* signals, gpu::Stream stream) const {
        const std::byte* const from = signals + part.origin * sample_bytes();
        if (!part.extend) return {std::nullopt, from};
        Source source{std::nullopt, nullptr};
        source.extended.emplace(size_of(stft.signals * part.extended * sample_bytes()), options.device,
                                stream);
        source.data = source.extended->data();
        part.extend->execute(static_cast<const void*>(from), static_cast<void*>(source.extended->data()),
                             stream);
        return source;
    }

    const std::vector<Plan>& powers() const {
        const std::lock_guard lock(planning);
        if (!power_plans) {
            std::vector<Plan> plans;
            for (const FramePart& part : parts)
                plans.push_back(plan_frames(part, Expression("real: abs2(x)")));
            power_plans = std::make_unique<const std::vector<Plan>>(std::move(plans));
        }
        return *power_plans;
    }

    Integer signals_at_once() const { return is_gpu() ? stft.signals : 1; }
    Integer scratch_bytes(const MelPlans& plans) const {
        return signals_at_once() * plans.frames * bins * power_bytes();
    }
    MelPlans plan_mel(const FramePart& part, Integer count, const MatrixFormula& matrix) const {
        const Integer signals = signals_at_once();
        TransformOptions sums{
            .precision = real(),
            .batches = {{signals, count * bins, frames * stft.mel.count}, {count, bins, stft.mel.count}}};
        return {count,
                plan_frames({{signals, stride_of(part), count * bins}, {count, hop, bins}},
                            Expression("real: abs2(x)")),
                planned(Transform::of_matrix(TransformKind::real_formula, matrix, sums))};
    }
    const std::vector<MelPlansOfPart>& planned_mels() const {
        // Powers of so many frames stay in a core's caches.
        constexpr Integer cached_bytes = Integer{1} << 17, fewest_frames = 16;
        const Integer of_threads = std::max(1, options.threads) * cached_bytes / (bins * power_bytes());
        const Integer at_once = std::max(fewest_frames, of_threads / fewest_frames * fewest_frames);
        const std::lock_guard lock(planning);
        if (!mel_plans) {
            const MatrixFormula matrix(api::mel_matrix(api::filters_of(stft.mel, n_fft), n_fft));
            std::vector<MelPlansOfPart> plans;
            for (const FramePart& part : parts) {
                MelPlansOfPart& own = plans.emplace_back();
                const Integer most = is_gpu() ? part.count : std::min(part.count, at_once);
                own.push_back(plan_mel(part, most, matrix));
                if (part.count % most > 0) own.push_back(plan_mel(part, part.count % most, matrix));
            }
            mel_plans = std::make_unique<const std::vector<MelPlansOfPart>>(std::move(plans));
        }
        return *mel_plans;
    }

    /// The reciprocal of the sum of squares of the windows at each sample, and of the scale.
    std::vector<double> weights() const {
        std::vector<double> sums(static_cast<std::size_t>(samples));
        for (Integer frame = 0; frame < frames; ++frame)
            for (Integer j = 0; j < used(); ++j) {
                const Integer sample = frame * hop + first_used + j - start;
                const double value = stft.window[static_cast<std::size_t>(j)];
                if (sample >= 0 && sample < samples) sums[static_cast<std::size_t>(sample)] += value * value;
            }
        const double least = 1e-10 * *std::max_element(sums.begin(), sums.end());
        for (double& sum : sums) sum = sum > least ? 1 / (sum * stft.scale) : 0;
        return sums;
    }
    InversePlans plan_inverse() const {
        InversePlans plans{api::DeviceValues(weights(), real(), options.device), {}, {}};
        const Integer at_once = signals_at_once();
        TransformOptions given{.direction = Direction::backward,
                               .precision = real(),
                               .batches = {{at_once * frames, bins, n_fft}},
                               .scale = 1 / static_cast<double>(n_fft),
                               .store = windowed()};
        const TransformKind kind = has_complex_samples() ? TransformKind::dft : TransformKind::real_dft;
        plans.frames = planned(Transform::make(kind, {n_fft}, given)).with("w", window->data());
        const formula::Formula sum =
            api::overlap_add({frames, n_fft, hop, first_used, used()}, start, samples);
        plans.sum =
            plan_matrix(sum, {{at_once, frames * n_fft, stft.signal_stride}}, Expression("x * weights[i]"))
                .with("weights", plans.weights->data());
        return plans;
    }
    const InversePlans& inverse() const {
        const std::lock_guard lock(planning);
        if (!inverse_plans) inverse_plans = std::make_unique<const InversePlans>(plan_inverse());
        return *inverse_plans;
    }
};

Stft::State::State(Integer of_samples, Integer of_n_fft, StftOptions given, Options of_plans)
    : samples(of_samples), n_fft(of_n_fft), stft(std::move(given)), options(std::move(of_plans)) {
    constexpr Integer largest = Integer{1} << 40;
    const auto positive = [](Integer value, const char* name) {
        if (value < 1 || value > largest) throw UserError("{} is {}\n  it is from 1 to 2^40", name, value);
    };
    positive(samples, "samples");
    positive(n_fft, "n_fft");
    hop = stft.hop == 0 ? std::max<Integer>(1, n_fft / 4) : stft.hop;
    positive(hop, "hop");
    positive(stft.signals, "signals");
    if (stft.signal_stride == 0) stft.signal_stride = samples;
    if (std::abs(stft.signal_stride) < samples && stft.signals > 1)
        throw UserError("signal_stride is {}, but a signal has {} samples\n  signals must not overlap",
                        stft.signal_stride, samples);
    if (stft.signal_stride < 0)
        throw UserError("signal_stride is {}\n  it must not be negative", stft.signal_stride);
    const DataType type = stft.data_type;
    if (type != DataType::float32 && type != DataType::float64 && type != DataType::complex64 &&
        type != DataType::complex128)
        throw UserError("data_type is {}\n  use float32, float64, complex64 or complex128", name_of(type));
    if (!std::isfinite(stft.scale) || stft.scale == 0)
        throw UserError("scale is {}\n  it must be finite, and not 0", stft.scale);
    check_mel();
    if (stft.window.empty()) stft.window = hann_window(n_fft);
    if (used() > n_fft) throw UserError("the window has {} values, but n_fft is {}", used(), n_fft);
    for (const double value : stft.window)
        if (!std::isfinite(value)) throw UserError("the window has a value that is not finite");
    start = stft.ends == StftEnds::none ? 0 : n_fft / 2;
    if (stft.ends == StftEnds::reflect && start >= samples)
        throw UserError(
            "a signal of {} samples cannot be mirrored for frames of {}\n  use more than n_fft/2 samples, or "
            "ends of zeros",
            samples, n_fft);
    if (samples + 2 * start < n_fft)
        throw UserError(
            "a signal of {} samples is shorter than a frame of {}\n  use centred frames, or a smaller n_fft",
            samples, n_fft);
    frames = (samples + 2 * start - n_fft) / hop + 1;
    bins = has_complex_samples() ? n_fft : n_fft / 2 + 1;
    first_used = (n_fft - used()) / 2;
    std::vector<double> padded(static_cast<std::size_t>(n_fft));
    std::copy(stft.window.begin(), stft.window.end(), padded.begin() + first_used);
    window.emplace(padded, real(), options.device);
    const Integer head = std::min(ceil_divide(start, hop), frames);
    const Integer inner_end = std::clamp(floor_divide(samples - n_fft + start, hop) + 1, head, frames);
    add_part(0, head);
    add_part(head, inner_end);
    add_part(inner_end, frames);
}

Stft::Stft(Integer samples, Integer n_fft, const StftOptions& stft, const Options& options)
    : state_(std::make_shared<const State>(samples, n_fft, stft, options)) {}

Integer Stft::samples() const { return state_->samples; }
Integer Stft::frames() const { return state_->frames; }
Integer Stft::bins() const { return state_->bins; }
Integer Stft::mels() const { return state_->stft.mel.count; }

void Stft::forward(const Input& signals, const Output& spectra, gpu::Stream stream) const {
    const State& s = *state_;
    check_array("signals", signals.array(), s.stft.data_type, s.signal_span(), false);
    check_array("spectra", spectra.array(), complex_of(s.real()), s.stft.signals * s.frames * s.bins, true);
    auto* const to = static_cast<std::byte*>(spectra.array().data);
    for (const State::FramePart& part : s.parts) {
        const State::Source source =
            s.source_of(part, static_cast<const std::byte*>(signals.array().data), stream);
        part.spectra.execute(static_cast<const void*>(source.data),
                             static_cast<void*>(to + part.first * s.bins * s.spectrum_bytes()), stream);
    }
}

void Stft::power(const Input& signals, const Output& powers, gpu::Stream stream) const {
    const State& s = *state_;
    check_array("signals", signals.array(), s.stft.data_type, s.signal_span(), false);
    check_array("powers", powers.array(), s.real(), s.stft.signals * s.frames * s.bins, true);
    auto* const to = static_cast<std::byte*>(powers.array().data);
    const std::vector<Plan>& plans = s.powers();
    for (std::size_t p = 0; p < s.parts.size(); ++p) {
        const State::FramePart& part = s.parts[p];
        const State::Source source =
            s.source_of(part, static_cast<const std::byte*>(signals.array().data), stream);
        plans[p].execute(static_cast<const void*>(source.data),
                         static_cast<void*>(to + part.first * s.bins * s.power_bytes()), stream);
    }
}

void Stft::mel(const Input& signals, const Output& energies, gpu::Stream stream) const {
    const State& s = *state_;
    if (s.stft.mel.count == 0)
        throw UserError("the transform has no mel filters\n  set StftOptions::mel.count");
    check_array("signals", signals.array(), s.stft.data_type, s.signal_span(), false);
    check_array("energies", energies.array(), s.real(), s.stft.signals * s.frames * mels(), true);
    auto* const to = static_cast<std::byte*>(energies.array().data);
    const std::vector<State::MelPlansOfPart>& plans = s.planned_mels();
    Integer bytes = 0;
    for (const State::MelPlansOfPart& of_part : plans)
        bytes = std::max(bytes, s.scratch_bytes(of_part.front()));
    const api::DeviceScratch powers(size_of(bytes), s.options.device, stream);
    for (std::size_t p = 0; p < s.parts.size(); ++p) {
        const State::FramePart& part = s.parts[p];
        const State::Source source =
            s.source_of(part, static_cast<const std::byte*>(signals.array().data), stream);
        for (Integer signal = 0; signal < s.stft.signals; signal += s.signals_at_once())
            for (Integer frame = 0; frame < part.count;) {
                const bool is_whole = frame + plans[p].front().frames <= part.count;
                const State::MelPlans& own = is_whole ? plans[p].front() : plans[p].back();
                const Integer from = signal * s.stride_of(part) + frame * s.hop;
                const Integer first = (signal * s.frames + part.first + frame) * mels();
                own.powers.execute(static_cast<const void*>(source.data + from * s.sample_bytes()),
                                   static_cast<void*>(powers.data()), stream);
                own.sums.execute(static_cast<const void*>(powers.data()),
                                 static_cast<void*>(to + first * s.power_bytes()), stream);
                frame += own.frames;
            }
    }
}

void Stft::inverse(const Input& spectra, const Output& signals, gpu::Stream stream) const {
    const State& s = *state_;
    check_array("spectra", spectra.array(), complex_of(s.real()), s.stft.signals * s.frames * s.bins, false);
    check_array("signals", signals.array(), s.stft.data_type, s.signal_span(), true);
    const State::InversePlans& plans = s.inverse();
    const auto* const from = static_cast<const std::byte*>(spectra.array().data);
    auto* const to = static_cast<std::byte*>(signals.array().data);
    const Integer at_once = s.signals_at_once();
    const api::DeviceScratch frames(size_of(at_once * s.frames * s.n_fft * s.sample_bytes()),
                                    s.options.device, stream);
    for (Integer signal = 0; signal < s.stft.signals; signal += at_once) {
        plans.frames.execute(static_cast<const void*>(from + signal * s.frames * s.bins * s.spectrum_bytes()),
                             static_cast<void*>(frames.data()), stream);
        plans.sum.execute(static_cast<const void*>(frames.data()),
                          static_cast<void*>(to + signal * s.stft.signal_stride * s.sample_bytes()), stream);
    }
}

} // namespace swirl
