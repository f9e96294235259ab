// A fake cuFFT for the fake driver, whose device memory is host memory: transforms by their definition, to test code
// that compares results. In float32 and float64, of one dimension, or of several contiguous ones.

#include <complex>
#include <cstddef>
#include <map>
#include <numbers>
#include <vector>

namespace {

using Length = long long;
using Complex = std::complex<double>;

struct Side {
    Length stride = 1, distance = 0;
    int type = 0;
    bool is_complex() const { return type >= 4; }
    bool is_double() const { return type == 1 || type == 5; }
};

struct Plan {
    std::vector<Length> lengths;
    Side input, output;
    Length batch = 1;
};

std::map<int, Plan>& plans() {
    static std::map<int, Plan> all;
    return all;
}

Complex get(const Side& side, const void* data, Length at) {
    const auto from = [&](auto* typed) {
        return side.is_complex() ? Complex(typed[2 * at], typed[2 * at + 1]) : Complex(typed[at], 0);
    };
    return side.is_double() ? from(static_cast<const double*>(data)) : from(static_cast<const float*>(data));
}

template <class Real> void put(const Side& side, Real* data, Length at, Complex value) {
    if (side.is_complex()) {
        data[2 * at] = static_cast<Real>(value.real());
        data[2 * at + 1] = static_cast<Real>(value.imag());
    } else {
        data[at] = static_cast<Real>(value.real());
    }
}

/// Row-major, one dimension after the other.
std::vector<Complex> transformed(std::vector<Complex> data, const std::vector<Length>& lengths,
                                 int direction) {
    const auto size = static_cast<Length>(data.size());
    Length inner = size;
    for (const Length n : lengths) {
        inner /= n;
        std::vector<Complex> next(data.size()), roots;
        for (Length k = 0; k < n; ++k)
            roots.push_back(std::polar(
                1.0, direction * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
        for (Length place = 0; place < size; ++place) {
            const Length k = place / inner % n;
            double real = 0, imaginary = 0;
            for (Length j = 0, power = 0; j < n; ++j) {
                const Complex x = data[static_cast<std::size_t>(place + (j - k) * inner)];
                const Complex root = roots[static_cast<std::size_t>(power)];
                real += x.real() * root.real() - x.imag() * root.imag();
                imaginary += x.real() * root.imag() + x.imag() * root.real();
                power += power + k < n ? k : k - n;
            }
            next[static_cast<std::size_t>(place)] = {real, imaginary};
        }
        data = next;
    }
    return data;
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cufftGetVersion(int* version) {
    *version = 12345;
    return 0;
}
EXPORT int cufftCreate(int* plan) {
    static int last = 0;
    plans()[*plan = ++last];
    return 0;
}
EXPORT int cufftDestroy(int plan) {
    plans().erase(plan);
    return 0;
}
EXPORT int cufftSetStream(int, void*) { return 0; }

EXPORT int cufftXtMakePlanMany(int plan, int rank, Length* lengths, Length* input_layout, Length input_stride,
                               Length input_distance, int input_type, Length* output_layout,
                               Length output_stride, Length output_distance, int output_type, Length batch,
                               std::size_t* workspace, int) {
    constexpr int invalid_type = 3;
    if (input_type == 2 || input_type == 6) return invalid_type; // float16
    Plan made{{lengths, lengths + rank}, {}, {}, batch};
    Length points = 1;
    for (const Length n : made.lengths) points *= n;
    const Length half = points / made.lengths.back() * (made.lengths.back() / 2 + 1);
    const auto stored = [&](int own, int other) { return own >= 4 && other < 4 ? half : points; };
    made.input = {1, stored(input_type, output_type), input_type};
    made.output = {1, stored(output_type, input_type), output_type};
    if (input_layout != nullptr) made.input = {input_stride, input_distance, input_type};
    if (output_layout != nullptr) made.output = {output_stride, output_distance, output_type};
    plans()[plan] = made;
    *workspace = 0;
    return 0;
}

EXPORT int cufftXtExec(int id, void* input, void* output, int direction) {
    const Plan& plan = plans().at(id);
    const Length n = plan.lengths.back();
    Length points = 1;
    for (const Length length : plan.lengths) points *= length;
    const bool from_half = plan.input.is_complex() && !plan.output.is_complex();
    for (Length b = 0; b < plan.batch; ++b) {
        std::vector<Complex> data(static_cast<std::size_t>(points));
        for (Length j = 0; j < points; ++j) {
            const bool mirrored = from_half && j > n / 2; // one-dimensional
            const Complex x =
                get(plan.input, input, b * plan.input.distance + (mirrored ? n - j : j) * plan.input.stride);
            data[static_cast<std::size_t>(j)] = mirrored ? std::conj(x) : x;
        }
        data = transformed(std::move(data), plan.lengths, direction);
        const bool to_half = !plan.input.is_complex();
        for (Length k = 0; k < (to_half ? n / 2 + 1 : points); ++k) {
            const Length at = b * plan.output.distance + k * plan.output.stride;
            const Complex value = data[static_cast<std::size_t>(k)];
            if (plan.output.is_double())
                put(plan.output, static_cast<double*>(output), at, value);
            else
                put(plan.output, static_cast<float*>(output), at, value);
        }
    }
    return 0;
}
