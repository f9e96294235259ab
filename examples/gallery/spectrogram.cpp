// The spectrogram of a recording: a chirp that rises from 500 to 5000 Hz, a steady tone of 6000 Hz, and noise.
//
//   example_spectrogram_cpp [FOLDER]      FOLDER/spectrogram.txt: levels in dB, a row for each frequency
//
// Frames are a loop whose stride is the hop, so they overlap where the samples lie: nothing is copied. The window is a load
// callback, fused into the transform.
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

constexpr double rate = 16000, seconds = 2, low = 500, high = 5000, tone = 6000;
constexpr std::size_t frame = 512, hop = 128, bins = frame / 2 + 1;
constexpr std::size_t samples = static_cast<std::size_t>(rate * seconds),
                      frames = (samples - frame) / hop + 1;

double chirp_frequency(double time) { return low + (high - low) * time / seconds; }

std::vector<float> recording() {
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.1F);
    std::vector<float> signal(samples);
    for (std::size_t i = 0; i < samples; ++i) {
        const double time = static_cast<double>(i) / rate;
        // The phase is 2π times the integral of the frequency.
        const double phase = 2 * std::numbers::pi * (low + (high - low) * time / (2 * seconds)) * time;
        signal[i] = static_cast<float>(std::sin(phase) + 0.3 * std::sin(2 * std::numbers::pi * tone * time)) +
                    noise(random);
    }
    return signal;
}

std::vector<float> hann_window() {
    std::vector<float> window(frame);
    for (std::size_t i = 0; i < frame; ++i)
        window[i] = static_cast<float>(
            0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(frame)));
    return window;
}

int main(int count, char** arguments) {
    const std::vector<float> signal = recording(), window = hann_window();
    std::vector<std::complex<float>> spectra(frames * bins);

    const std::string size = std::to_string(frame),
                      strides = std::to_string(hop) + "," + std::to_string(bins);
    const swirl::Plan plan = swirl::plan("rdft " + size + " float32 batch=" + std::to_string(frames) + ":(" +
                                         strides + ") load=\"x * window[i]\"");
    plan.with("window", window).execute(signal, spectra);

    // The loudest bin of each frame must be the chirp's at the frame's middle.
    double farthest = 0;
    for (std::size_t f = 0; f < frames; ++f) {
        const auto* first = spectra.data() + f * bins;
        const auto loudest =
            std::max_element(first, first + bins, [](auto a, auto b) { return std::norm(a) < std::norm(b); });
        const double found = static_cast<double>(loudest - first) * rate / frame;
        const double middle = (static_cast<double>(f * hop) + frame / 2.0) / rate;
        farthest = std::max(farthest, std::abs(found - chirp_frequency(middle)));
    }
    std::printf("%zu frames of %zu samples, bins %.2f Hz apart\n", frames, frame, rate / frame);
    std::printf("the chirp is found to %.1f Hz\n", farthest);

    if (count > 1) {
        std::ofstream out(std::string(arguments[1]) + "/spectrogram.txt");
        for (std::size_t k = 0; k < bins; ++k, out << '\n')
            for (std::size_t f = 0; f < frames; ++f)
                out << static_cast<int>(20 * std::log10(std::abs(spectra[f * bins + k]) + 1e-3F)) << ' ';
    }
    return farthest < rate / frame ? 0 : 1;
}
