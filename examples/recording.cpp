// Reads a recording, finds its spectrum, keeps the band of a telephone line (300 to 3400 Hz) and writes the result:
//
//   example_recording_cpp RECORDING.wav FOLDER
//
// into FOLDER: filtered.wav, and the points of a picture of signal and spectrum before and after (see
// recording.gnuplot). Any length will do; the transform is that of the whole recording, real samples to half a spectrum.

#include <swirl/swirl.hpp>

#include <sndfile.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Complex = std::complex<double>;

struct Recording {
    std::vector<double> samples; ///< the first channel, within ±1
    int rate = 0;                ///< samples a second
};

using SoundFile = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

Recording read(const std::string& name) {
    SF_INFO info{};
    const SoundFile file(sf_open(name.c_str(), SFM_READ, &info), sf_close);
    if (!file) throw std::runtime_error("cannot read " + name + ": " + sf_strerror(nullptr));
    std::vector<double> frames(static_cast<std::size_t>(info.frames * info.channels));
    const sf_count_t count = sf_readf_double(file.get(), frames.data(), info.frames);
    Recording recording{std::vector<double>(static_cast<std::size_t>(count)), info.samplerate};
    if (count == 0) throw std::runtime_error(name + " holds no sound");
    for (std::size_t i = 0; i < recording.samples.size(); ++i)
        recording.samples[i] = frames[i * static_cast<std::size_t>(info.channels)];
    return recording;
}

void write(const std::string& name, const Recording& recording) {
    SF_INFO info{};
    info.samplerate = recording.rate;
    info.channels = 1;
    info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_16;
    const SoundFile file(sf_open(name.c_str(), SFM_WRITE, &info), sf_close);
    const auto count = static_cast<sf_count_t>(recording.samples.size());
    if (!file || sf_write_double(file.get(), recording.samples.data(), count) != count)
        throw std::runtime_error("cannot write " + name + ": " + sf_strerror(file.get()));
}

/// 1 inside the band, 0 outside, a quarter of a cosine wide as `edge` between.
double band(double frequency, double low, double high, double edge) {
    const double inside = std::min(frequency - low, high - frequency) / edge + 0.5;
    const double clamped = std::clamp(inside, 0.0, 1.0);
    return 0.5 - 0.5 * std::cos(std::numbers::pi * clamped);
}

/// Least and greatest sample of each of `bins` stretches of time.
void write_envelope(const std::string& name, const Recording& recording, std::size_t bins) {
    std::ofstream out(name);
    const std::size_t n = recording.samples.size();
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const std::size_t begin = n * bin / bins, end = std::max(begin + 1, n * (bin + 1) / bins);
        const auto [least, greatest] =
            std::minmax_element(recording.samples.begin() + static_cast<std::ptrdiff_t>(begin),
                                recording.samples.begin() + static_cast<std::ptrdiff_t>(std::min(end, n)));
        out << static_cast<double>(begin) / recording.rate << ' ' << *least << ' ' << *greatest << '\n';
    }
    if (!out.flush()) throw std::runtime_error("cannot write " + name);
}

/// Root mean square level in dB of bands a twelfth of an octave wide, from the half spectrum of `samples` samples.
void write_levels(const std::string& name, const std::vector<Complex>& spectrum, std::size_t samples,
                  int rate) {
    std::ofstream out(name);
    const auto n = static_cast<double>(samples);
    const double width = std::exp2(1.0 / 12);
    for (double low = 20; low * width < rate / 2.0; low *= width) {
        const auto begin = static_cast<std::size_t>(low * n / rate),
                   end = static_cast<std::size_t>(low * width * n / rate);
        double power = 0;
        for (std::size_t k = begin; k < std::max(end, begin + 1); ++k)
            power += std::norm(spectrum[k]) / (n * n);
        out << low * std::sqrt(width) << ' ' << 10 * std::log10(power + 1e-14) << '\n';
    }
    if (!out.flush()) throw std::runtime_error("cannot write " + name);
}

double energy(const std::vector<double>& samples) {
    double sum = 0;
    for (const double sample : samples) sum += sample * sample;
    return sum;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

swirl::Plan planned(const std::string& problem) {
    const auto start = std::chrono::steady_clock::now();
    swirl::Plan plan = swirl::plan(problem);
    std::printf("planned in %.1f ms: %s\n  schedule  %s\n  flops     %.3g\n  workspace %.1f KiB\n",
                1e3 * seconds_since(start), problem.c_str(), plan.schedule().c_str(), plan.flops(),
                static_cast<double>(plan.workspace_bytes()) / 1024);
    return plan;
}

void filter(const std::string& source, const std::string& folder) {
    const Recording recording = read(source);
    const std::size_t n = recording.samples.size();
    std::printf("%s: %zu samples at %d Hz, %.2f s\n", source.c_str(), n, recording.rate,
                static_cast<double>(n) / recording.rate);

    const std::string size = std::to_string(n);
    const swirl::Plan forward = planned("rdft " + size);
    const swirl::Plan backward = planned("rdft " + size + " backward scale=1/" + size);

    // Frequencies from 0 to half the rate; those above are mirror images of these and are not stored.
    std::vector<Complex> spectrum(n / 2 + 1);
    Recording filtered{std::vector<double>(n), recording.rate};
    const auto start = std::chrono::steady_clock::now();
    forward.execute(recording.samples.data(), spectrum.data());
    std::vector<Complex> kept = spectrum;
    for (std::size_t k = 0; k < kept.size(); ++k)
        kept[k] *= band(static_cast<double>(k) * recording.rate / static_cast<double>(n), 300, 3400, 50);
    backward.execute(kept.data(), filtered.samples.data());
    std::printf("filtered in %.2f ms, kept %.1f%% of the energy\n", 1e3 * seconds_since(start),
                100 * energy(filtered.samples) / energy(recording.samples));

    write(folder + "/filtered.wav", filtered);
    write_envelope(folder + "/signal.txt", recording, 1200);
    write_envelope(folder + "/filtered.txt", filtered, 1200);
    write_levels(folder + "/spectrum.txt", spectrum, n, recording.rate);
    write_levels(folder + "/filtered_spectrum.txt", kept, n, recording.rate);
}

} // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: %s RECORDING FOLDER\n", arguments[0]);
        return 2;
    }
    try {
        filter(arguments[1], arguments[2]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
        return 1;
    }
}
