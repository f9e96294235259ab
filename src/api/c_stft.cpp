#include <swirl/stft.hpp>

#include "api/c.hpp"

#include <array>

struct swirl_stft {
    swirl::Stft stft;
};

namespace swirl::api {
namespace {

constexpr std::array ends_of_frames = {StftEnds::none, StftEnds::zero, StftEnds::reflect};
constexpr std::array mel_scales = {MelScale::slaney, MelScale::htk};
constexpr std::array mel_norms = {MelNorm::none, MelNorm::area};

DataType type_of_samples(int data_type) {
    switch (data_type) {
    case SWIRL_FLOAT32: return DataType::float32;
    case SWIRL_FLOAT64: return DataType::float64;
    case SWIRL_COMPLEX64: return DataType::complex64;
    case SWIRL_COMPLEX128: return DataType::complex128;
    default:
        throw UserError(
            "member 'data_type' is {}; samples are of SWIRL_FLOAT32, SWIRL_FLOAT64, SWIRL_COMPLEX64 and "
            "SWIRL_COMPLEX128",
            data_type);
    }
}

StftOptions options_of(const swirl_stft_options* options) {
    const swirl_stft_options given =
        versioned<swirl_stft_options>(options, SWIRL_STFT_OPTIONS_INIT, "argument 'stft_options'");
    StftOptions result{.hop = given.hop,
                       .ends = value_of(given.ends, ends_of_frames, "ends"),
                       .signals = given.signals,
                       .signal_stride = given.signal_stride,
                       .data_type = type_of_samples(given.data_type),
                       .scale = given.scale,
                       .mel = {.count = given.mels,
                               .sample_rate = given.sample_rate,
                               .lowest = given.mel_lowest,
                               .highest = given.mel_highest,
                               .scale = value_of(given.mel_scale, mel_scales, "mel_scale"),
                               .norm = value_of(given.mel_norm, mel_norms, "mel_norm")}};
    if (given.window == nullptr && given.window_length > 0) require(given.window, "window");
    if (given.window == nullptr) return result;
    if (given.window_length == 0)
        throw UserError("member 'window_length' is 0; the window has at least one value");
    const auto window = list_of(given.window, "window", given.window_length);
    result.window.assign(window.begin(), window.end());
    return result;
}

const Stft& stft_in(const swirl_stft* stft) {
    require(stft, "stft");
    return stft->stft;
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

swirl_status swirl_stft_create(int64_t samples, int64_t n_fft, const swirl_stft_options* stft_options,
                               const swirl_options* options, swirl_stft** stft) {
    return guarded([&] {
        require(stft, "stft");
        *stft = new swirl_stft{swirl::Stft(samples, n_fft, options_of(stft_options), options_of(options))};
    });
}

void swirl_stft_destroy(swirl_stft* stft) { delete stft; }
int64_t swirl_stft_frames(const swirl_stft* stft) { return stft == nullptr ? 0 : stft->stft.frames(); }
int64_t swirl_stft_bins(const swirl_stft* stft) { return stft == nullptr ? 0 : stft->stft.bins(); }

int64_t swirl_stft_mels(const swirl_stft* stft) { return stft == nullptr ? 0 : stft->stft.mels(); }

swirl_status swirl_stft_forward(const swirl_stft* stft, const void* signals, void* spectra, void* stream) {
    return guarded([&] { stft_in(stft).forward(signals, spectra, swirl::gpu::Stream(stream)); });
}

swirl_status swirl_stft_power(const swirl_stft* stft, const void* signals, void* powers, void* stream) {
    return guarded([&] { stft_in(stft).power(signals, powers, swirl::gpu::Stream(stream)); });
}

swirl_status swirl_stft_mel(const swirl_stft* stft, const void* signals, void* energies, void* stream) {
    return guarded([&] { stft_in(stft).mel(signals, energies, swirl::gpu::Stream(stream)); });
}

swirl_status swirl_stft_inverse(const swirl_stft* stft, const void* spectra, void* signals, void* stream) {
    return guarded([&] { stft_in(stft).inverse(spectra, signals, swirl::gpu::Stream(stream)); });
}
