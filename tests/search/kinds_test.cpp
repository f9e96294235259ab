// Plans of every kind, layout and placement, against the definitions summed in long double.

#include "plan/check/problem_data.hpp"
#include "problem/syntax.hpp"
#include "search/planner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace swirl::search {
namespace kinds_test {

using Complex = std::complex<long double>;
constexpr long double pi = std::numbers::pi_v<long double>;

/// Entry (k, j) of the one-dimensional transform, as FFTW's manual defines it.
Complex entry(TransformKind kind, Direction direction, Integer n, Integer k, Integer j) {
    const auto row = static_cast<long double>(k), column = static_cast<long double>(j),
               length = static_cast<long double>(n);
    const long double sign = direction == Direction::forward ? -1 : 1;
    const auto cosine = [&](long double a, long double b, long double points) {
        return 2 * std::cos(pi * (column + a) * (row + b) / points);
    };
    const auto turn = [&](Integer product) {
        return 2 * pi * static_cast<long double>(product % n) / length;
    };
    const auto sine = [&](long double a, long double b, long double points) {
        return 2 * std::sin(pi * (column + a) * (row + b) / points);
    };
    switch (kind) {
    case TransformKind::dft:
    case TransformKind::real_dft:
        return std::polar<long double>(1, sign * 2 * pi * static_cast<long double>(j * k % n) / length);
    case TransformKind::wht:
    case TransformKind::wht_dyadic:
    case TransformKind::wht_sequency: {
        Integer natural = k, code = kind == TransformKind::wht_sequency ? k ^ (k >> 1) : k;
        if (kind != TransformKind::wht) natural = 0;
        if (kind != TransformKind::wht)
            for (Integer bit = n / 2; bit > 0; bit /= 2, code /= 2) natural += code % 2 * bit;
        bool odd = false;
        for (Integer bits = j & natural; bits; bits >>= 1) odd ^= (bits & 1) != 0;
        return odd ? -1 : 1;
    }
    case TransformKind::dct1:
        return (j == 0 || j == n - 1 ? 1 : 2) * std::cos(pi * column * row / (length - 1));
    case TransformKind::dst1: return 2 * std::sin(pi * (column + 1) * (row + 1) / (length + 1));
    case TransformKind::dht: return std::cos(turn(j * k)) + std::sin(turn(j * k));
    case TransformKind::r2hc: return 2 * k <= n ? std::cos(turn(j * k)) : -std::sin(turn(j * (n - k)));
    case TransformKind::hc2r:
        if (2 * j > n) return -2 * std::sin(turn((n - j) * k));
        return (j == 0 || 2 * j == n ? 1 : 2) * std::cos(turn(j * k));
    case TransformKind::dct2: return cosine(0.5L, 0, length);
    case TransformKind::dct3: return cosine(0, 0.5L, length) / (j == 0 ? 2.0L : 1.0L);
    case TransformKind::dct4: return cosine(0.5L, 0.5L, length);
    case TransformKind::dst2: return sine(0.5L, 1, length);
    case TransformKind::dst3: return sine(1, 0.5L, length) / (j == n - 1 ? 2.0L : 1.0L);
    case TransformKind::dst4: return sine(0.5L, 0.5L, length);
    case TransformKind::dct5: return cosine(0, 0, length - 0.5L) / (j == 0 ? 2.0L : 1.0L);
    case TransformKind::dct6: return cosine(0.5L, 0, length - 0.5L) / (j == n - 1 ? 2.0L : 1.0L);
    case TransformKind::dct7: return cosine(0, 0.5L, length - 0.5L) / (j == 0 ? 2.0L : 1.0L);
    case TransformKind::dct8: return cosine(0.5L, 0.5L, length + 0.5L);
    case TransformKind::dst5: return sine(1, 1, length + 0.5L);
    case TransformKind::dst6: return sine(0.5L, 1, length + 0.5L);
    case TransformKind::dst7: return sine(1, 0.5L, length + 0.5L);
    case TransformKind::dst8: return sine(0.5L, 0.5L, length - 0.5L) / (j == n - 1 ? 2.0L : 1.0L);
    case TransformKind::mixed:
    case TransformKind::convolution:
    case TransformKind::real_convolution:
    case TransformKind::formula:
    case TransformKind::real_formula: break;
    }
    return 0;
}

/// All indices of a box, last digit fastest.
template <class F> void for_each_index(const std::vector<Integer>& lengths, F&& f) {
    std::vector<Integer> index(lengths.size());
    Integer count = 1;
    for (Integer n : lengths) count *= n;
    for (Integer i = 0; i < count; ++i) {
        f(index);
        for (std::size_t d = lengths.size(); d-- > 0 && ++index[d] == lengths[d];) index[d] = 0;
    }
}

std::vector<Integer> lengths_of(const std::vector<Dimension>& dimensions) {
    std::vector<Integer> lengths;
    for (const Dimension& d : dimensions) lengths.push_back(d.length);
    return lengths;
}

/// The definition at one output of one transform of the batch.
Complex expected(const Transform& problem, const planning::ProblemData& data, Integer from,
                 const std::vector<Integer>& k) {
    const std::size_t rank = problem.dimensions.size();
    const bool to_reals = problem.kind == TransformKind::real_dft && problem.direction == Direction::backward;
    std::vector<Integer> stored;
    for (std::size_t d = 0; d < rank; ++d) stored.push_back(stored_length(problem, d, Side::input));
    Complex sum = 0;
    for_each_index(stored, [&](const std::vector<Integer>& j) {
        Integer at = from;
        Complex term = 1;
        for (std::size_t d = 0; d < rank; ++d) {
            const Dimension& dimension = problem.dimensions[d];
            at += j[d] * dimension.input_stride;
            term *= entry(problem.kinds.empty() ? problem.kind : problem.kinds[d], problem.direction,
                          dimension.length, k[d], j[d]);
        }
        const Integer n = problem.dimensions.back().length;
        if (to_reals && j.back() != 0 && 2 * j.back() != n) term *= 2; // the mirror image n − j
        sum += term * Complex(data.get(Side::input, at));
    });
    if (to_reals) sum = sum.real();
    return static_cast<long double>(problem.scale) * sum;
}

double error_of(const Transform& problem) {
    planning::ProblemData original(problem), data(problem);
    original.fill(7);
    data.fill(7);
    const auto plan = make_plan<planning::Plan>(problem, {.check = false, .use_wisdom = false});
    plan->execute(data.arguments());
    std::vector<Integer> stored;
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        stored.push_back(stored_length(problem, d, Side::output));
    long double difference = 0, norm = 0;
    for_each_index(lengths_of(problem.batches), [&](const std::vector<Integer>& b) {
        Integer from = 0, to = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            from += b[i] * problem.batches[i].input_stride;
            to += b[i] * problem.batches[i].output_stride;
        }
        for_each_index(stored, [&](const std::vector<Integer>& k) {
            Integer at = to;
            for (std::size_t d = 0; d < k.size(); ++d) at += k[d] * problem.dimensions[d].output_stride;
            const Complex value = expected(problem, original, from, k);
            difference += std::norm(Complex(data.get(Side::output, at)) - value);
            norm += std::norm(value);
        });
    });
    return static_cast<double>(std::sqrt(difference / norm));
}

class EveryKind : public testing::TestWithParam<const char*> {};

TEST_P(EveryKind, EqualsItsDefinition) {
    const Transform problem = parse_transform(GetParam());
    EXPECT_LT(error_of(problem), problem.precision == DataType::float32 ? 6e-7 : 1.2e-15);
}

constexpr const char* problems[] = {
    "dft 1",
    "dft 1x1 batch=3",
    "dft 2",
    "dft 31 float32",
    "dft 64 backward inplace",
    "dft 360 planar",
    "dft 360 planar inplace",
    "dft 16x8",
    "dft 20x12 inplace",
    "dft 8x8x8",
    "dft 5x7x11x3",
    "dft 1x30",
    "dft 24 batch=40",
    "dft 24 batch=40:(1,1) strides=40",
    "dft 101 batch=9:(1,1) strides=9",
    "dft 37x41",
    "dft 16x8 in=(1,16) out=(40,3)",
    "dft 12 in=(-5) out=(-2) batch=3:(100,40)",
    "dft 100 scale=0.25 float32",
    "wht 2",
    "wht 64",
    "wht 1024",
    "wht 8x16",
    "wht 64 batch=5 inplace",
    "wht_dyadic 2",
    "wht_dyadic 16",
    "wht_dyadic 128 inplace",
    "wht_dyadic 2048 float32",
    "wht_sequency 1",
    "wht_sequency 8",
    "wht_sequency 64 inplace batch=3",
    "wht_sequency 1024",
    "wht_sequency 4096 float32",
    "wht_sequency,wht_dyadic 64x128 inplace",
    "rdft 1",
    "rdft 2",
    "rdft 3",
    "rdft 16",
    "rdft 100",
    "rdft 101",
    "rdft 512 float32",
    "rdft 2 backward",
    "rdft 100 backward",
    "rdft 101 backward",
    "rdft 1024",
    "rdft 945",
    "rdft 2187 backward float32",
    "rdft 1155 backward",
    "rdft 768 backward",
    "rdft 125 inplace",
    "rdft 450 planar backward",
    "rdft 48 batch=20:(1,1) strides=20",
    "rdft 105 batch=7 backward",
    "rdft 16x16",
    "rdft 10x12 backward",
    "rdft 10x13 backward",
    "rdft 5x6x7",
    "rdft 5x6x7 backward",
    "rdft 100 inplace",
    "rdft 100 backward inplace",
    "rdft 10x12 inplace",
    "rdft 10x12 backward inplace",
    "rdft 100 planar",
    "rdft 100 planar backward",
    "rdft 10x12 planar backward",
    "rdft 64 batch=10",
    "rdft 30 in=(3) out=(2)",
    "dct2 16",
    "dct2 100",
    "dct2 101",
    "dct3 100",
    "dct3 101",
    "dct4 100",
    "dct4 99",
    "dst2 100",
    "dst3 101",
    "dst4 100",
    "dst4 63",
    "dct2 8x8",
    "dct2 256 float32",
    "dst3 6x10 inplace scale=2",
    "dct2 1",
    "dct2 1x2",
    "dct2 4x1 float32 inplace batch=7",
    "dct2 1x1x1 scale=0.5",
    "dct3 1x6",
    "dct3 1x1",
    "dct4 5x1x1x4",
    "dct4 1x1",
    "dst2 1x3x1 batch=2",
    "dst2 1x1 float32",
    "dst3 7x1",
    "dst4 2x1",
    "dst4 1x1x9 scale=2",
    "dct1 2",
    "dct1 33",
    "dct1 34",
    "dct1 100",
    "dct1 129 float32",
    "dct1 1025",
    "dct1 98 inplace",
    "dst1 1",
    "dst1 31",
    "dst1 32",
    "dst1 96",
    "dst1 100 float32 batch=3",
    "dst1 255 inplace",
    "dst1 1023",
    "dct5 1",
    "dct5 2",
    "dct5 41",
    "dct5 100",
    "dct5 1000 float32",
    "dct6 1",
    "dct6 58",
    "dct6 683 inplace",
    "dct7 2",
    "dct7 64 batch=3",
    "dct7 9x10",
    "dct8 1",
    "dct8 40 float32",
    "dct8 719",
    "dst5 1",
    "dst5 2",
    "dst5 52",
    "dst5 100 inplace batch=2",
    "dst6 1x1 scale=0.5",
    "dst6 67",
    "dst6 1024",
    "dst7 31",
    "dst7 7x12 float32 inplace",
    "dst8 1",
    "dst8 2",
    "dst8 97",
    "dst8 500",
    "dct5,dst8,dct8 5x6x7",
    "dht 100",
    "dht 101",
    "dht 1024 float32",
    "dht 10x12 inplace batch=3",
    "r2hc 100",
    "r2hc 101 inplace",
    "r2hc 1024",
    "r2hc 16x20 float32",
    "hc2r 100 scale=0.01",
    "hc2r 1155 inplace",
    "hc2r 64 batch=20:(1,1) strides=20",
    "dct2,dst3 8x9",
    "r2hc,hc2r 16x10 inplace",
    "dct1,dst1,dht 5x7x6 batch=2",
    "wht,dct4 16x1 float32",
    "dst1,dct2 1x1 scale=0.5",
    "rdft 6x1",
    "rdft 1x6 backward",
    "wht 1x8",
};

INSTANTIATE_TEST_SUITE_P(Problems, EveryKind, testing::ValuesIn(problems));

TEST(EveryCpu, RunsTheSameProblems) {
    for (const target::Cpu* cpu : target::cpus()) {
        if (!target::host_can_run(*cpu) || cpu->set == target::InstructionSet::portable) continue;
        for (const char* text : problems) // checked against the definition as they are built
            EXPECT_NO_THROW(make_plan<planning::Plan>(parse_transform(text),
                                                      {.cpu = std::string(cpu->name), .use_wisdom = false}))
                << cpu->name << " " << text;
    }
}

} // namespace kinds_test
} // namespace swirl::search
