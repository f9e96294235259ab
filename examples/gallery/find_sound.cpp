// Finds where a short sound occurs in a long recording, by cross-correlation.
//
//   example_find_sound_cpp [FOLDER]       FOLDER/find_sound.txt: time and correlation, the largest of each 10 ms
//
// The sound is planted four times in 60 s of noise that is as loud as the sound, so it cannot be seen. The correlation with all of
// the recording is one product in the frequency domain.
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

constexpr double rate = 8000;
constexpr std::size_t samples = 480'000, sound_samples = 2000;
constexpr std::size_t planted[] = {41'234, 163'000, 300'777, 466'001};

/// A bird's call: a tone that falls and rises.
std::vector<float> call() {
    std::vector<float> sound(sound_samples);
    double phase = 0;
    for (std::size_t i = 0; i < sound_samples; ++i) {
        const double part = static_cast<double>(i) / sound_samples;
        phase += 2 * std::numbers::pi * (1800 - 900 * std::sin(std::numbers::pi * part)) / rate;
        sound[i] = static_cast<float>(std::sin(std::numbers::pi * part) * std::sin(phase));
    }
    return sound;
}

double energy(const std::vector<float>& x) {
    double sum = 0;
    for (const float value : x) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
}

int main(int count, char** arguments) {
    const std::vector<float> sound = call();
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.5F);
    std::vector<float> recording(samples), correlation(samples);
    for (float& sample : recording) sample = noise(random);
    for (const std::size_t start : planted)
        for (std::size_t i = 0; i < sound_samples; ++i) recording[start + i] += sound[i];

    const std::string n = std::to_string(samples), padded = " load=\"x where i < 2000\"";
    std::vector<std::complex<float>> spectrum(samples / 2 + 1), pattern(samples / 2 + 1);
    swirl::plan("rdft " + n + " float32").execute(recording, spectrum);
    swirl::plan("rdft " + n + " float32" + padded).execute(sound.data(), pattern.data());
    // The product with the conjugate is fused into the inverse transform, too.
    const swirl::Plan correlate = swirl::plan("rdft " + n + " float32 backward scale=1/" + n +
                                              " load=\"x * conj(complex pattern[i])\"");
    correlate.with("pattern", pattern).execute(spectrum, correlation);

    // Relative to the sound's own energy: 1 where the recording is the sound.
    const auto whole = static_cast<float>(energy(sound));
    for (float& value : correlation) value /= whole;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < samples; ++i) {
        const auto first = correlation.begin() + static_cast<std::ptrdiff_t>(i < 400 ? 0 : i - 400);
        const auto last = correlation.begin() + static_cast<std::ptrdiff_t>(std::min(i + 400, samples));
        if (correlation[i] > 0.6F && correlation[i] == *std::max_element(first, last)) found.push_back(i);
    }
    for (const std::size_t start : found) std::printf("at %6.3f s\n", static_cast<double>(start) / rate);

    if (count > 1) {
        std::ofstream out(std::string(arguments[1]) + "/find_sound.txt");
        for (std::size_t i = 0; i + 80 <= samples; i += 80) {
            const auto first = correlation.begin() + static_cast<std::ptrdiff_t>(i);
            out << static_cast<double>(i) / rate << ' ' << *std::max_element(first, first + 80) << '\n';
        }
    }
    // Noise may move a maximum by a sample.
    bool is_right = found.size() == std::size(planted);
    for (std::size_t i = 0; is_right && i < found.size(); ++i)
        is_right = std::max(found[i], planted[i]) - std::min(found[i], planted[i]) <= 1;
    return is_right ? 0 : 1;
}
