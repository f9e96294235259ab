/// Short-time Fourier transforms: spectra of overlapping windowed frames of signals, their powers, and the inverse by
/// overlap-add, on CPUs and GPUs.
///
///     const swirl::Stft stft(480000, 1024, {.hop = 256, .data_type = swirl::DataType::float32});
///     std::vector<std::complex<float>> spectra(stft.frames() * stft.bins());
///     stft.forward(signal, spectra);
#pragma once

#include <swirl/export.h>
#include <swirl/arrays.hpp>
#include <swirl/data_type.hpp>
#include <swirl/kinds.hpp>
#include <swirl/options.hpp>
#include <swirl/stream.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace swirl {

/// Where the first frame begins, and what is beyond the ends of a signal.
enum class StftEnds : std::uint8_t {
    none, ///< the first frame begins with the signal, and all frames lie within it
    zero, ///< frames are centred: the first begins n_fft/2 samples before the signal, and zeros surround it
    reflect, ///< centred; beyond its ends the signal is mirrored about its first and last samples
};

enum class MelScale : std::uint8_t {
    slaney, ///< linear up to 1 kHz, then logarithmic; librosa's default
    htk,    ///< 2595·log₁₀(1 + f/700); torchaudio's default
};
enum class MelNorm : std::uint8_t {
    none, ///< triangles of height 1; torchaudio's default
    area, ///< triangles of area 1 Hz, "slaney" in librosa, whose default it is, and in torchaudio
};

/// A bank of overlapping triangular filters of powers, evenly spaced on a mel scale: as librosa's and torchaudio's.
struct MelFilters {
    Integer count = 0;          ///< 0: none
    double sample_rate = 22050; ///< Hz
    double lowest = 0;          ///< Hz, where the first filter begins
    double highest = 0;         ///< Hz, where the last filter ends; 0: half the sample rate
    MelScale scale = MelScale::slaney;
    MelNorm norm = MelNorm::area;
};

struct StftOptions {
    Integer hop = 0; ///< samples from one frame to the next; 0: n_fft/4, at least 1
    /// At most n_fft values, for the middle of a frame, whose other samples are not used; empty: n_fft values of a Hann
    /// window, one period.
    std::vector<double> window = {};
    StftEnds ends = StftEnds::reflect;
    Integer signals = 1;                    ///< that are transformed at once
    Integer signal_stride = 0;              ///< samples from one signal to the next; 0: contiguous
    DataType data_type = DataType::float64; ///< of samples: float32, float64, complex64 or complex128
    double scale = 1;                       ///< multiplies spectra
    MelFilters mel = {};                    ///< for Stft::mel, of real samples
};

/// Spectrum k of frame f is y[f, k] = scale·Σ_j window[j]·x[f·hop + j − start]·e^{−2πi·jk/n_fft}, start = n_fft/2, rounded
/// down, where frames are centred, else 0: as PyTorch's and librosa's stft. Of real signals, spectra have bins k ≤ n_fft/2;
/// of complex ones n_fft. Spectra are contiguous: [signal][frame][bin].
///
/// Immutable, cheap to copy, and safe to use from any number of threads and streams at once. On a GPU, executions enqueue
/// work, as Plan's do; arrays are device memory. Each execution throws UserError before anything is written if an array is null, has
/// another data type, or is too small. Memory between kernels is taken by the library. An Stft must outlive the work it has enqueued.
class SWIRL_API Stft {
public:
    /// Of signals of so many samples. Makes the plans of `forward`; `power`, `mel` and `inverse` make theirs when first used.
    /// `options`: device, threads and effort of all plans. Throws UserError naming the argument that is wrong.
    Stft(Integer samples, Integer n_fft, const StftOptions& stft = {}, const Options& options = {});

    Integer samples() const; ///< of a signal
    Integer frames() const;  ///< of a signal
    Integer bins() const;    ///< of a spectrum
    Integer mels() const;    ///< filters

    /// Writes the complex spectra.
    void forward(const Input& signals, const Output& spectra, gpu::Stream stream = {}) const;
    /// Writes their powers, |y|², as reals, which the store callback of the transforms makes.
    void power(const Input& signals, const Output& powers, gpu::Stream stream = {}) const;
    /// Writes sums of powers by the filters of StftOptions::mel: [signal][frame][filter]. On CPUs powers are kept for a few frames at
    /// a time, in the caches. Throws UserError if there are no filters.
    void mel(const Input& signals, const Output& energies, gpu::Stream stream = {}) const;
    /// Writes signals: inverse transforms of the spectra are multiplied by the window, added up, and divided by the sum of
    /// squares of the windows at each sample and by the scale. Samples without weight are zero: those that no frame
    /// covers, and those where windows add up to less than 10⁻¹⁰ of the largest sum. So spectra of signals give the
    /// signals, as far as windows cover them.
    void inverse(const Input& spectra, const Output& signals, gpu::Stream stream = {}) const;

private:
    struct State;
    std::shared_ptr<const State> state_;
};

} // namespace swirl
