// The loudest frequency of each tenth of a second: powers of overlapping frames of a tone that rises.
#include <swirl/swirl.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
    constexpr double rate = 16000; // samples per second
    std::vector<float> signal(16000);
    double phase = 0;
    for (std::size_t i = 0; i < signal.size(); ++i) { // from 1000 Hz to 3000 Hz
        signal[i] = static_cast<float>(std::sin(phase));
        phase += 2 * std::numbers::pi * (1000 + 2000 * static_cast<double>(i) / signal.size()) / rate;
    }
    const swirl::Stft stft(16000, 512, {.hop = 160, .data_type = swirl::DataType::float32});
    const auto frames = static_cast<std::size_t>(stft.frames()), bins = static_cast<std::size_t>(stft.bins());
    std::vector<float> powers(frames * bins);
    stft.power(signal, powers);
    for (std::size_t frame = 10; frame < frames; frame += 10) {
        std::size_t loudest = 0;
        for (std::size_t k = 0; k < bins; ++k)
            if (powers[frame * bins + k] > powers[frame * bins + loudest]) loudest = k;
        std::printf("%.1f s  %4.0f Hz\n", static_cast<double>(frame) * 160 / rate,
                    static_cast<double>(loudest) * rate / 512);
    }
}
