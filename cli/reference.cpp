#include "cli/reference.hpp"

#include "base/error.hpp"
#include "cli/reference_dft.hpp"
#include "formula/formula.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

namespace swirl::cli {
namespace {

using Line = Values;

std::size_t size(Integer n) { return static_cast<std::size_t>(n); }

Line dft_of(const Line& line, const ReferenceDft& dft) {
    Line result(line.size());
    dft.apply(line.data(), result.data());
    return result;
}

Line wht_of(Line line) {
    for (std::size_t half = 1; half < line.size(); half *= 2)
        for (std::size_t i = 0; i < line.size(); ++i)
            if ((i & half) == 0) {
                const Complex a = line[i], b = line[i + half];
                line[i] = a + b;
                line[i + half] = a - b;
            }
    return line;
}

/// The cosine and sine transforms sample points at (2j+1)/2 or j (j+1 for sines): all are entries of a complex DFT of
/// the odd or even extension of the data. Unnormalised, as FFTW and TransformKind define them.
struct Trigonometric {
    Integer length;         ///< of the DFT
    bool sine;              ///< odd extension
    bool half_in, half_out; ///< whether data and result are at half-integer points
};

Trigonometric trigonometric_of(TransformKind kind, Integer n) {
    switch (kind) {
    case TransformKind::dct1: return {2 * (n - 1), false, false, false};
    case TransformKind::dct2: return {4 * n, false, true, false};
    case TransformKind::dct3: return {4 * n, false, false, true};
    case TransformKind::dct4: return {8 * n, false, true, true};
    case TransformKind::dst1: return {2 * (n + 1), true, false, false};
    case TransformKind::dst2: return {4 * n, true, true, false};
    case TransformKind::dst3: return {4 * n, true, false, true};
    case TransformKind::dct5: return {2 * n - 1, false, false, false};
    case TransformKind::dct6: return {2 * (2 * n - 1), false, true, false};
    case TransformKind::dct7: return {2 * (2 * n - 1), false, false, true};
    case TransformKind::dct8: return {4 * (2 * n + 1), false, true, true};
    case TransformKind::dst5: return {2 * n + 1, true, false, false};
    case TransformKind::dst6: return {2 * (2 * n + 1), true, true, false};
    case TransformKind::dst7: return {2 * (2 * n + 1), true, false, true};
    case TransformKind::dst8: return {4 * (2 * n - 1), true, true, true};
    default: return {8 * n, true, true, true};
    }
}

Line trigonometric_transform(const Line& line, const Trigonometric& shape, const ReferenceDft& dft) {
    const auto n = static_cast<Integer>(line.size());
    const Integer length = shape.length;
    const auto index_of = [&](Integer j, bool half) { return half ? 2 * j + 1 : shape.sine ? j + 1 : j; };
    Line extended(size(length));
    for (Integer j = 0; j < n; ++j) {
        const Integer at = index_of(j, shape.half_in), mirror = (length - at) % length;
        extended[size(at)] += line[size(j)];
        // A symmetric point of the extension counts once, not twice.
        const bool once = shape.sine ? shape.half_out && 4 * at == length : at == mirror;
        if (once && shape.sine) {
            extended[size(at)] /= 2;
            extended[size(mirror)] -= extended[size(at)];
        } else if (!once) {
            extended[size(mirror)] += shape.sine ? -line[size(j)] : line[size(j)];
        }
    }
    const Line spectrum = dft_of(extended, dft);
    Line result(line.size());
    for (Integer k = 0; k < n; ++k) {
        const Complex value = spectrum[size(index_of(k, shape.half_out))];
        result[size(k)] = shape.sine ? -value.imag() : value.real();
    }
    return result;
}

/// Applies f to every row along `dimension` of a row-major array.
void along(Line& data, const std::vector<Integer>& lengths, std::size_t dimension,
           const std::function<Line(const Line&)>& f) {
    Integer inner = 1;
    for (std::size_t i = dimension + 1; i < lengths.size(); ++i) inner *= lengths[i];
    const Integer n = lengths[dimension];
    const auto total = static_cast<Integer>(data.size());
    Line line(size(n));
    for (Integer outer = 0; outer < total; outer += n * inner)
        for (Integer i = 0; i < inner; ++i) {
            for (Integer j = 0; j < n; ++j) line[size(j)] = data[size(outer + i + j * inner)];
            const Line result = f(line);
            for (Integer j = 0; j < n; ++j) data[size(outer + i + j * inner)] = result[size(j)];
        }
}

void dft_along_all(Line& data, const std::vector<Integer>& lengths, Direction direction) {
    for (std::size_t d = 0; d < lengths.size(); ++d) {
        const ReferenceDft dft(lengths[d], direction);
        along(data, lengths, d, [&](const Line& line) { return dft_of(line, dft); });
    }
}

/// Rows of n/2+1 entries of a real array's spectrum, from full rows.
Line half_of(const Line& whole, Integer n) {
    Line half;
    for (std::size_t row = 0; row < whole.size(); row += size(n))
        for (Integer k = 0; k <= n / 2; ++k) half.push_back(whole[row + size(k)]);
    return half;
}

/// Full rows from half spectra: entry k is the conjugate of entry −k, along all dimensions.
Line whole_of(std::span<const Complex> half, const std::vector<Integer>& lengths) {
    const Integer n = lengths.back(), stored = n / 2 + 1;
    const auto rows = static_cast<Integer>(half.size()) / stored;
    Line whole(size(rows * n));
    for (Integer row = 0; row < rows; ++row) {
        Integer mirror = 0, rest = row, weight = 1;
        for (std::size_t d = lengths.size() - 1; d-- > 0; weight *= lengths[d], rest /= lengths[d])
            mirror += (lengths[d] - rest % lengths[d]) % lengths[d] * weight;
        for (Integer k = 0; k < n; ++k)
            whole[size(row * n + k)] =
                k < stored ? half[size(row * stored + k)] : std::conj(half[size(mirror * stored + n - k)]);
    }
    return whole;
}

Line real_dft(const TransformDefinition& transform, std::span<const Complex> input) {
    if (transform.direction == Direction::forward) {
        Line data(input.begin(), input.end());
        dft_along_all(data, transform.lengths, Direction::forward);
        return half_of(data, transform.lengths.back());
    }
    Line data = whole_of(input, transform.lengths);
    dft_along_all(data, transform.lengths, Direction::backward);
    for (Complex& value : data) value = value.real();
    return data;
}

/// A half spectrum as r_0 r_1 … i_2 i_1, and back.
Line halfcomplex_of(const Line& half, Integer n) {
    Line result(size(n));
    for (Integer k = 0; 2 * k <= n; ++k) {
        result[size(k)] = half[size(k)].real();
        if (k > 0 && 2 * k < n) result[size(n - k)] = half[size(k)].imag();
    }
    return result;
}
Line half_of_halfcomplex(const Line& line) {
    const auto n = static_cast<Integer>(line.size());
    Line result;
    for (Integer k = 0; 2 * k <= n; ++k)
        result.emplace_back(line[size(k)].real(), k > 0 && 2 * k < n ? line[size(n - k)].real() : 0);
    return result;
}

/// Row by row, a transform of reals along one dimension.
std::function<Line(const Line&)> real_transform(TransformKind kind, Integer n) {
    if (is_wht(kind))
        return [kind, n](const Line& line) {
            const Line natural = wht_of(line);
            Line result;
            for (Integer k = 0; k < n; ++k) result.push_back(natural[size(hadamard_row(kind, n, k))]);
            return result;
        };
    const auto by_dft = [n](Direction direction, auto&& f) {
        return [dft = std::make_shared<ReferenceDft>(n, direction), f](const Line& line) {
            return f(line, *dft);
        };
    };
    switch (kind) {
    case TransformKind::dht:
        return by_dft(Direction::forward, [](const Line& line, const ReferenceDft& dft) {
            Line result = dft_of(line, dft);
            for (Complex& value : result) value = value.real() - value.imag();
            return result;
        });
    case TransformKind::r2hc:
        return by_dft(Direction::forward, [n](const Line& line, const ReferenceDft& dft) {
            return halfcomplex_of(dft_of(line, dft), n);
        });
    case TransformKind::hc2r:
        return by_dft(Direction::backward, [n](const Line& line, const ReferenceDft& dft) {
            Line result = dft_of(whole_of(half_of_halfcomplex(line), {n}), dft);
            for (Complex& value : result) value = value.real();
            return result;
        });
    default: {
        const Trigonometric shape = trigonometric_of(kind, n);
        return [shape, dft = std::make_shared<ReferenceDft>(shape.length)](const Line& line) {
            return trigonometric_transform(line, shape, *dft);
        };
    }
    }
}

Line fast_transform(const TransformDefinition& transform, std::span<const Complex> input) {
    const std::vector<Integer>& lengths = transform.lengths;
    if (transform.kind == TransformKind::real_dft) return real_dft(transform, input);
    Line data(input.begin(), input.end());
    if (transform.kind == TransformKind::dft) {
        dft_along_all(data, lengths, transform.direction);
        return data;
    }
    for (std::size_t d = 0; d < lengths.size(); ++d)
        along(data, lengths, d, real_transform(transform.kind_along(d), lengths[d]));
    return data;
}

/// Checks two outputs against the definition.
void prove(const TransformDefinition& transform, const Line& input, const Line& output) {
    const long double allowed = rounding_of_outputs(transform, input);
    for (const double share :
         {0.3819660112501051, 0.8541019662496845}) { // of the golden section: off any grid
        std::vector<Integer> index;
        Integer at = 0;
        for (std::size_t d = 0; d < transform.lengths.size(); ++d) {
            const Integer stored = transform.stored_output(d);
            index.push_back(static_cast<Integer>(share * static_cast<double>(stored)));
            at = at * stored + index.back();
        }
        const Complex expected = output_by_definition(transform, input, index);
        if (!(std::abs(output[size(at)] - expected) <= allowed))
            throw InternalError("the reference is wrong: output {} of {} points is off by {}", at,
                                transform.points(),
                                static_cast<double>(std::abs(output[size(at)] - expected)));
    }
}

Line proved_transform(const TransformDefinition& transform, std::span<const Complex> input) {
    Line output = fast_transform(transform, input);
    prove(transform, Line(input.begin(), input.end()), output);
    return output;
}

/// e^{−2πi·turns·multiple}: `turns` in 128 bits after the point, whose multiples are exact modulo 1.
Complex turned(long double turns, Integer multiple) {
    __extension__ using Digits = unsigned __int128;
    const long double whole = std::floor(std::fabs(turns)), high = std::ldexp(std::fabs(turns) - whole, 63);
    const Digits digits = (static_cast<Digits>(std::floor(high)) << 65U) +
                          static_cast<Digits>(std::ldexp(high - std::floor(high), 65));
    const Digits product = (turns < 0 ? -digits : digits) * static_cast<Digits>(multiple);
    const auto eighths = static_cast<Integer>(product >> 125U);
    const Digits rest = product & ((Digits{1} << 125U) - 1);
    const long double angle =
        2 * std::numbers::pi_v<long double> * std::ldexp(static_cast<long double>(rest), -128);
    return std::conj(root_of_unity(eighths, 8) * std::polar(1.0L, angle));
}

/// By jk = t(j + k) − t(j) − t(k) with t(i) = i·(i − 1)/2, a correlation with e^{−2πi·t(i)·step}. Two outputs are checked
/// against the definition.
Line chirp_z_of(const formula::ChirpZ& chirp, Integer outputs, std::span<const Complex> input) {
    const auto inputs = static_cast<Integer>(input.size());
    const auto triangle = [](Integer i) { return i % 2 == 0 ? i / 2 * (i - 1) : (i - 1) / 2 * i; };
    Integer points = 1;
    while (points < inputs + outputs - 1) points *= 2;
    Line data(size(points)), kernel(size(points));
    for (Integer j = 0; j < inputs; ++j)
        data[size((points - j) % points)] =
            input[size(j)] * turned(chirp.start, j) * std::conj(turned(chirp.step, triangle(j)));
    for (Integer i = 0; i < inputs + outputs - 1; ++i) kernel[size(i)] = turned(chirp.step, triangle(i));
    const ReferenceDft forward(points), backward(points, Direction::backward);
    Line product = dft_of(data, forward);
    const Line spectrum = dft_of(kernel, forward);
    for (std::size_t k = 0; k < product.size(); ++k)
        product[k] *= spectrum[k] / static_cast<long double>(points);
    Line output = dft_of(product, backward);
    output.resize(size(outputs));
    for (Integer k = 0; k < outputs; ++k) output[size(k)] *= std::conj(turned(chirp.step, triangle(k)));
    const TransformDefinition as_large{TransformKind::dft, Direction::forward, {points}};
    const long double allowed = rounding_of_outputs(as_large, Line(input.begin(), input.end()));
    for (const Integer k : {outputs / 3, outputs - 1}) {
        Complex expected = 0;
        for (Integer j = 0; j < inputs; ++j)
            expected += input[size(j)] * turned(chirp.start, j) * turned(chirp.step, j * k);
        if (!(std::abs(output[size(k)] - expected) <= allowed))
            throw InternalError("the reference is wrong: output {} of a chirp-z transform is off by {}", k,
                                static_cast<double>(std::abs(output[size(k)] - expected)));
    }
    return output;
}

/// A formula's transform of one vector: real transforms act on both components.
Line nonterminal(const formula::Formula& f, std::span<const Complex> input) {
    using namespace formula;
    const Integer n = f.rows();
    if (const auto* dft = f.get_if<Dft>())
        return proved_transform({TransformKind::dft, dft->direction, {n}}, input);
    if (const auto* chirp = f.get_if<ChirpZ>()) return chirp_z_of(*chirp, n, input);
    if (f.is<Circulant>()) {
        const TransformDefinition forward{TransformKind::dft, Direction::forward, {n}};
        const Line kernel = proved_transform(forward, *f.get_if<Circulant>()->kernel);
        Line spectrum = proved_transform(forward, input);
        for (std::size_t k = 0; k < spectrum.size(); ++k)
            spectrum[k] *= kernel[k] / static_cast<long double>(n);
        return proved_transform({TransformKind::dft, Direction::backward, {n}}, spectrum);
    }
    TransformDefinition real{TransformKind::wht, Direction::forward, {n}};
    if (const auto* dct = f.get_if<Dct>()) real.kind = dct_kinds[size(dct->type) - 1];
    if (const auto* dst = f.get_if<Dst>()) real.kind = dst_kinds[size(dst->type) - 1];
    if (const auto* wht = f.get_if<Wht>()) real.kind = wht_kinds[static_cast<std::size_t>(wht->order)];
    if (f.is<Dht>()) real.kind = TransformKind::dht;
    if (const auto* rdft = f.get_if<RealDft>())
        real.kind = rdft->direction == Direction::forward ? TransformKind::r2hc : TransformKind::hc2r;
    Line result(size(n));
    for (const Complex unit : {Complex(1, 0), Complex(0, 1)}) {
        Line component;
        for (const Complex& value : input)
            component.emplace_back(unit.real() != 0 ? value.real() : value.imag());
        component = proved_transform(real, component);
        for (std::size_t k = 0; k < result.size(); ++k) result[k] += unit * component[k].real();
    }
    return result;
}

/// Formulas of so many products are applied with their transforms by definition.
constexpr double most_products = 1e8;

double products_of(const formula::Formula& f) {
    if (formula::is_nonterminal(f) || f.is<formula::ChirpZ>())
        return static_cast<double>(f.rows()) * static_cast<double>(f.columns());
    double products = 0;
    Integer before = f.columns(), after = 1;
    for (std::size_t k = f.children().size(); k-- > 0;) {
        const formula::Formula& child = f.children()[k];
        before /= f.is<formula::Kronecker>() ? child.columns() : 1;
        const double times =
            f.is<formula::Kronecker>() ? static_cast<double>(before) * static_cast<double>(after) : 1;
        products += times * products_of(child);
        after *= child.rows();
    }
    return products;
}

} // namespace

Complex array_element(Integer i) { return formula::diagonal_value(formula::ArgumentFunction{}, i); }

std::vector<Complex> reference(const Transform& problem, std::span<const Complex> input, Integer batch) {
    if (has_formula(problem)) {
        const formula::Formula& given = problem.matrix.term();
        return products_of(given) <= most_products ? formula::apply(given, input)
                                                   : formula::apply(given, input, nonterminal);
    }
    TransformDefinition transform{problem.kind, problem.direction, {}, problem.kinds};
    for (const Dimension& dimension : problem.dimensions) transform.lengths.push_back(dimension.length);
    if (!is_convolution(problem)) return proved_transform(transform, input);

    const bool is_real = problem.kind == TransformKind::real_convolution;
    transform.kind = is_real ? TransformKind::real_dft : TransformKind::dft;
    Line data = proved_transform(transform, input);
    const auto points = static_cast<Integer>(data.size());
    const Integer first = problem.spectrum == Sharing::each ? batch * points : 0;
    for (Integer i = 0; i < points; ++i)
        data[size(i)] *= array_element(first + i) / static_cast<long double>(transform_size(problem));
    transform.direction = Direction::backward;
    return proved_transform(transform, data);
}

long double relative_error(std::span<const Complex> a, std::span<const Complex> b) {
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::norm(a[i] - b[i]);
        norm += std::norm(b[i]);
    }
    return std::sqrt(norm > 0 ? difference / norm : difference);
}

} // namespace swirl::cli
