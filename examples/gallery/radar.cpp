// Pulse compression: a radar sends long chirps, and finds the distance and the speed of three targets in their echoes.
//
//   example_radar_cpp [FOLDER]            FOLDER/radar.txt: levels in dB, a row for each distance
//
// Compression along each pulse is a convolution with the conjugate spectrum of the chirp. The transform across pulses (the
// strided dimension) has the speeds.
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

using Complex = std::complex<float>;

constexpr std::size_t pulses = 64, n = 1024, chirp_samples = 200;

struct Target {
    std::size_t delay; ///< in samples
    std::size_t speed; ///< in bins of the transform across pulses
    double strength;
};
constexpr Target targets[] = {{150, 5, 0.20}, {163, 40, 0.15}, {620, 20, 0.12}};

std::vector<Complex> chirp() {
    std::vector<Complex> pulse(n);
    for (std::size_t i = 0; i < chirp_samples; ++i) {
        const double t = static_cast<double>(i) - chirp_samples / 2.0;
        pulse[i] = std::complex<float>(std::polar(1.0, std::numbers::pi * 0.6 * t * t / chirp_samples));
    }
    return pulse;
}

/// The targets' echoes of all pulses, in noise five times as strong as the strongest of them.
std::vector<Complex> echoes(const std::vector<Complex>& pulse) {
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.7F);
    std::vector<Complex> received(pulses * n);
    for (Complex& sample : received) sample = {noise(random), noise(random)};
    for (std::size_t p = 0; p < pulses; ++p)
        for (const Target& target : targets) {
            const double phase =
                2 * std::numbers::pi * static_cast<double>(target.speed * p % pulses) / pulses;
            const Complex factor(std::polar(target.strength, phase));
            for (std::size_t i = 0; i < chirp_samples; ++i)
                received[p * n + target.delay + i] += factor * pulse[i];
        }
    return received;
}

int main(int count, char** arguments) {
    const std::vector<Complex> pulse = chirp(), received = echoes(pulse);
    std::vector<Complex> filter(n), compressed(pulses * n), map(pulses * n);

    swirl::plan("dft 1024 float32 store=\"conj(x)\"").execute(pulse, filter);
    swirl::plan("convolution 1024 float32 batch=64").with("spectrum", filter).execute(received, compressed);
    // Across pulses: stride 1024, once for each delay. The window lowers the side lobes of strong targets.
    std::vector<float> window(pulses);
    for (std::size_t p = 0; p < pulses; ++p)
        window[p] = static_cast<float>(
            0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(p) / pulses));
    swirl::plan("dft 64 float32 strides=1024 batch=1024:1 load=\"x * window[i]\"")
        .with("window", window)
        .execute(compressed, map);

    // The strongest elements, none of them beside a stronger one.
    std::vector<std::size_t> order(map.size()), found;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](auto i, auto j) { return std::norm(map[i]) > std::norm(map[j]); });
    const auto is_near = [](std::size_t i, std::size_t j) {
        const auto apart = [](std::size_t x, std::size_t y) { return std::max(x, y) - std::min(x, y); };
        return apart(i % n, j % n) < 8 && apart(i / n, j / n) < 4;
    };
    for (std::size_t i = 0; found.size() < std::size(targets); ++i)
        if (std::none_of(found.begin(), found.end(), [&](auto j) { return is_near(order[i], j); }))
            found.push_back(order[i]);
    std::sort(found.begin(), found.end(), [](auto i, auto j) { return i % n < j % n; });

    bool is_right = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::printf("target at delay %3zu, speed %2zu\n", found[i] % n, found[i] / n);
        is_right = is_right && found[i] % n == targets[i].delay && found[i] / n == targets[i].speed;
    }
    if (count > 1) {
        std::ofstream out(std::string(arguments[1]) + "/radar.txt");
        for (std::size_t delay = 0; delay < 824; delay += 2, out << '\n') // echoes of later ones are cut off
            for (std::size_t speed = 0; speed < pulses; ++speed) {
                const float power =
                    std::max(std::norm(map[speed * n + delay]), std::norm(map[speed * n + delay + 1]));
                out << std::lround(10 * std::log10(power + 1e-3F)) << ' ';
            }
    }
    return is_right ? 0 : 1;
}
