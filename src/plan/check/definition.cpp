#include "plan/check/definition.hpp"

#include "base/error.hpp"
#include "rules/number_theory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace swirl::planning {

namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

using Precise = std::complex<long double>;
using Value = std::complex<double>;

/// Skips the standard library's handling of infinities, which finite operands do not need.
template <class T> std::complex<T> times(const std::complex<T>& a, const std::complex<T>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// r^j for j < count, each the product of two precomputed powers; `power(j)` computes r^j itself.
class Geometric {
public:
    template <class Power>
    Geometric(Integer count, Power&& power)
        : stretch_(std::max(static_cast<Integer>(std::sqrt(static_cast<double>(count))), Integer{1})) {
        for (Integer j = 0; j < std::min(count, stretch_); ++j) fine_.emplace_back(power(j));
        for (Integer first = 0; first < count; first += stretch_) coarse_.emplace_back(power(first));
    }
    Value operator()(Integer j) const {
        return times(coarse_[static_cast<std::size_t>(j / stretch_)],
                     fine_[static_cast<std::size_t>(j % stretch_)]);
    }

    void operator()(Integer first, std::span<Value> weights) const {
        for (std::size_t k = 0; k < weights.size();) {
            const Integer j = first + static_cast<Integer>(k), within = j % stretch_;
            const Value coarse = coarse_[static_cast<std::size_t>(j / stretch_)];
            const Value* const fine = fine_.data() + within;
            const std::size_t count =
                std::min(weights.size() - k, static_cast<std::size_t>(stretch_ - within));
            for (std::size_t i = 0; i < count; ++i) weights[k + i] = times(coarse, fine[i]);
            k += count;
        }
    }

private:
    Integer stretch_;
    std::vector<Value> fine_, coarse_;
};

/// ω_n^{jk}, ω = e^{sign·2πi/n}.
Precise character(Integer n, Integer j, Integer k, int sign) {
    const auto exponent = static_cast<long double>(rules::multiply_modulo(j, k, n));
    return std::polar(1.0L, static_cast<long double>(sign) * 2 * pi * exponent / static_cast<long double>(n));
}

/// ω_n^{jk} for j < n.
Geometric characters(Integer n, Integer k, int sign) {
    return {n, [=](Integer j) { return character(n, j, k, sign); }};
}

/// Entry j of column k of a real kind's matrix is 2·cos or 2·sin of 2π·(j + a)·(k + shift)/period; half of that for one j.
struct Wave {
    double a;
    double shift;
    bool is_sine;
    Integer undoubled; ///< the j whose entry is halved
    Integer period;    ///< of the types 2 to 4, 2n; of the types 5 to 8 odd
};

Wave wave_of(TransformKind kind, Integer n) {
    switch (kind) {
    case TransformKind::dct2: return {0.5, 0, false, -1, 2 * n};
    case TransformKind::dct3: return {0, 0.5, false, 0, 2 * n};
    case TransformKind::dct4: return {0.5, 0.5, false, -1, 2 * n};
    case TransformKind::dct5: return {0, 0, false, 0, 2 * n - 1};
    case TransformKind::dct6: return {0.5, 0, false, n - 1, 2 * n - 1};
    case TransformKind::dct7: return {0, 0.5, false, 0, 2 * n - 1};
    case TransformKind::dct8: return {0.5, 0.5, false, -1, 2 * n + 1};
    case TransformKind::dst2: return {0.5, 1, true, -1, 2 * n};
    case TransformKind::dst3: return {1, 0.5, true, n - 1, 2 * n};
    case TransformKind::dst4: return {0.5, 0.5, true, -1, 2 * n};
    case TransformKind::dst5: return {1, 1, true, -1, 2 * n + 1};
    case TransformKind::dst6: return {0.5, 1, true, -1, 2 * n + 1};
    case TransformKind::dst7: return {1, 0.5, true, -1, 2 * n + 1};
    case TransformKind::dst8: return {0.5, 0.5, true, n - 1, 2 * n - 1};
    default: throw InternalError("not a kind of cosines or sines at half indices");
    }
}

/// Row k. Twice j + a and twice k + shift are integers: their product modulo 4·period is exact, however long the row.
Row row_of_wave(const Wave& wave, Integer n, Integer k) {
    const Integer period = 4 * wave.period, twice_a = static_cast<Integer>(2 * wave.a),
                  row = 2 * k + static_cast<Integer>(2 * wave.shift);
    return {n, Row::Fill([=](Integer first, std::span<Value> weights) {
                Integer product = rules::multiply_modulo(2 * first + twice_a, row, period);
                for (Value& weight : weights) {
                    const long double angle =
                        2 * pi * static_cast<long double>(product) / static_cast<long double>(period);
                    const auto rounded = static_cast<double>(angle);
                    weight = (first++ == wave.undoubled ? 1 : 2) *
                             (wave.is_sine ? std::sin(rounded) : std::cos(rounded));
                    product = (product + 2 * row) % period;
                }
            })};
}

/// Points of the period of the sequences that the basis functions of a real kind are.
Integer points_of_period(TransformKind kind, Integer n) {
    if (kind == TransformKind::dct1) return 2 * (n - 1);
    if (kind == TransformKind::dst1) return 2 * (n + 1);
    return n;
}

/// f(2π·j·k/period)
double wave(double (*f)(double), Integer period, Integer j, Integer k) {
    return f(2 * std::numbers::pi * static_cast<double>(rules::multiply_modulo(j, k, period)) /
             static_cast<double>(period));
}

/// Of a real kind whose entries are waves of whole indices, the entry (k, j).
double entry_of_waves(TransformKind kind, Integer n, Integer j, Integer k) {
    const Integer period = points_of_period(kind, n);
    const auto cosine = [](double x) { return std::cos(x); };
    const auto sine = [](double x) { return std::sin(x); };
    switch (kind) {
    case TransformKind::dct1: return (j == 0 || j == n - 1 ? 1 : 2) * wave(cosine, period, j, k);
    case TransformKind::dst1: return 2 * wave(sine, period, j + 1, k + 1);
    case TransformKind::dht: return wave(cosine, n, j, k) + wave(sine, n, j, k);
    case TransformKind::r2hc: return 2 * k <= n ? wave(cosine, n, j, k) : wave(sine, n, j, k);
    case TransformKind::hc2r:
        if (2 * j > n) return 2 * wave(sine, n, j, k);
        return (j == 0 || 2 * j == n ? 1 : 2) * wave(cosine, n, j, k);
    default: throw InternalError("not a kind of waves of whole indices");
    }
}

/// Σ_{k<n} e^{i·angle·k} = e^{i(n−1)angle/2}·sin(n·angle/2) / sin(angle/2).
Precise geometric_sum(long double angle, Integer n) {
    const auto length = static_cast<long double>(n);
    return std::polar(1.0L, (length - 1) * angle / 2) * (std::sin(length * angle / 2) / std::sin(angle / 2));
}

/// The row over a half spectrum that equals `row` over the spectrum: entry k also stands for its mirror image n−k.
Row half_spectrum(const Row& row, Integer n) {
    return {n / 2 + 1, [=](Integer k) { return (k > 0 && 2 * k != n ? 2.0 : 1.0) * row[k]; }};
}

/// The column of the natural order whose entries, in another order of the rows, are those of column j: the matrices are
/// symmetric, and the bits of a Gray code are sums of neighbouring bits.
Integer natural_column(TransformKind kind, Integer n, Integer j) {
    if (kind == TransformKind::wht) return j;
    Integer reversed = 0;
    for (Integer bit = 1; bit < n; bit *= 2) reversed = 2 * reversed + (j & bit ? 1 : 0);
    return kind == TransformKind::wht_dyadic ? reversed : (reversed ^ (2 * reversed)) & (n - 1);
}

Row signs(TransformKind kind, Integer n, Integer k) {
    return {n, [=](Integer j) {
                const auto common = static_cast<std::uint64_t>(natural_column(kind, n, j) & k);
                return Value(std::popcount(common) % 2 ? -1 : 1);
            }};
}

constexpr Integer max_cached = Integer{1} << 16; ///< weights of a row

} // namespace

Row::Row(Integer size, std::function<Value(Integer)> weight)
    : Row(size, Fill([weight = std::move(weight)](Integer first, std::span<Value> weights) {
              for (Value& each : weights) each = weight(first++);
          })) {}

Row::Row(Integer size, Fill fill) : size_(size), fill_(std::move(fill)) {
    if (size > max_cached) return;
    cached_.resize(static_cast<std::size_t>(size));
    fill_(0, cached_);
}

Row::Value Row::operator[](Integer j) const {
    if (!cached_.empty()) return cached_[static_cast<std::size_t>(j)];
    Value weight;
    fill_(j, {&weight, 1});
    return weight;
}

void Row::weights(Integer first, std::span<Value> to) const {
    if (cached_.empty()) return fill_(first, to);
    std::copy_n(cached_.begin() + first, to.size(), to.begin());
}

Row rotated(const Row& row, Integer shift) {
    return {row.size(), [=](Integer j) { return row[(j + shift) % row.size()]; }};
}

Row definition_row(TransformKind kind, Direction direction, Integer n, Integer k) {
    switch (kind) {
    case TransformKind::dft:
        return {n, Row::Fill(characters(n, k, direction == Direction::forward ? -1 : 1))};
    case TransformKind::real_dft:
        if (direction == Direction::forward) return {n, Row::Fill(characters(n, k, -1))};
        return half_spectrum({n, Row::Fill(characters(n, k, 1))}, n);
    case TransformKind::wht:
    case TransformKind::wht_dyadic:
    case TransformKind::wht_sequency: return signs(kind, n, k);
    case TransformKind::dct1:
    case TransformKind::dst1:
    case TransformKind::dht:
    case TransformKind::r2hc:
    case TransformKind::hc2r: return {n, [=](Integer j) { return Value(entry_of_waves(kind, n, j, k)); }};
    case TransformKind::dct2:
    case TransformKind::dct3:
    case TransformKind::dct4:
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dct8:
    case TransformKind::dst2:
    case TransformKind::dst3:
    case TransformKind::dst4:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7:
    case TransformKind::dst8: return row_of_wave(wave_of(kind, n), n, k);
    case TransformKind::mixed: throw InternalError("a mixed transform has a kind along each dimension");
    case TransformKind::convolution:
    case TransformKind::real_convolution: throw InternalError("a convolution's rows depend on its spectrum");
    case TransformKind::formula:
    case TransformKind::real_formula: throw InternalError("a formula's rows depend on its terms");
    }
    throw InternalError("unknown kind of transform");
}

long double functional_angle(TransformKind kind, Integer n, Integer which) {
    // Grids are multiples of a quarter of 2π/points, where points are half a period of a dct or dst; those of dct1 and dst1
    // are of half of it.
    constexpr long double off_grid = 0.37L;
    const auto length = static_cast<long double>(n);
    const auto points = [&]() -> long double {
        switch (kind) {
        case TransformKind::dct1: return length - 1;
        case TransformKind::dst1: return length + 1;
        case TransformKind::dct5:
        case TransformKind::dct6:
        case TransformKind::dct7:
        case TransformKind::dct8:
        case TransformKind::dst5:
        case TransformKind::dst6:
        case TransformKind::dst7:
        case TransformKind::dst8: return static_cast<long double>(wave_of(kind, n).period) / 2;
        default: return length;
        }
    };
    return 2 * pi * (static_cast<long double>(which) + off_grid) / points();
}

Row powers(long double angle, Integer count) {
    return {count, Row::Fill(Geometric(count, [=](Integer k) {
                return std::polar(1.0L, angle * static_cast<long double>(k));
            }))};
}

namespace {

/// Below this value of |1 − r·ω^j|², cancellation costs two digits.
constexpr double cancelled = 1e-4;

/// above / below
Value quotient(const Value& above, const Value& below) {
    return times(above, std::conj(below)) / std::norm(below);
}

/// Σ_{k<outputs} (r·ω^j)^k = (1 − (r·ω^j)^outputs) / (1 − r·ω^j) for every j.
Row dft_functional(Direction direction, Integer n, Integer outputs, long double angle) {
    const int sign = direction == Direction::forward ? -1 : 1;
    const Geometric roots = characters(n, 1, sign), ends = characters(n, outputs % n, sign);
    const Precise r = std::polar(1.0L, angle),
                  end = std::polar(1.0L, angle * static_cast<long double>(outputs));
    const Value rounded_r(r), rounded_end(end);
    const auto precise = [=](Integer j) {
        return Value((1.0L - times(end, character(n, j, outputs % n, sign))) /
                     (1.0L - times(r, character(n, j, 1, sign))));
    };
    return {n, Row::Fill([=](Integer first, std::span<Value> weights) {
                std::array<Value, 64> end_powers; // of ω
                for (std::size_t begin = 0; begin < weights.size(); begin += end_powers.size()) {
                    const auto block =
                        weights.subspan(begin, std::min(end_powers.size(), weights.size() - begin));
                    const Integer from = first + static_cast<Integer>(begin);
                    roots(from, block);
                    ends(from, std::span(end_powers).first(block.size()));
                    for (std::size_t k = 0; k < block.size(); ++k) {
                        const Value above = 1.0 - times(rounded_end, end_powers[k]),
                                    below = 1.0 - times(rounded_r, block[k]);
                        block[k] = std::norm(below) > cancelled ? quotient(above, below)
                                                                : precise(from + static_cast<Integer>(k));
                    }
                }
            })};
}

/// Σ_k r^k·(e^{iα(k+shift)} ± e^{−iα(k+shift)}) for the phase α of entry j, r = e^{i·angle}: both sums in closed form.
class WaveSums {
public:
    WaveSums(const Wave& wave, Integer n, long double angle)
        : wave_(wave),
          n_(n),
          angle_(angle),
          r_(std::polar(1.0L, angle)),
          end_(std::polar(1.0L, angle * static_cast<long double>(n))),
          first_(std::polar(1.0L, phase(0) / 2)),
          halves_(n, [&](Integer j) { return std::polar(1.0L, (phase(j) - phase(0)) / 2); }) {}

    Value operator()(Integer j) const {
        const Value half = times(first_, halves_(j)), root = times(half, half);
        const Value below[] = {1.0 - times(r_, root), 1.0 - times(r_, std::conj(root))};
        if (std::min(std::norm(below[0]), std::norm(below[1])) <= cancelled) return Value(precise(j));
        const Value shift = wave_.shift == 0 ? Value(1) : wave_.shift == 1 ? root : half;
        const Value last = end_of_phase(j, half);
        return combined(j, times(shift, quotient(1.0 - times(end_, last), below[0])),
                        times(std::conj(shift), quotient(1.0 - times(end_, std::conj(last)), below[1])));
    }

private:
    long double phase(Integer j) const {
        return 2 * pi * (static_cast<long double>(j) + static_cast<long double>(wave_.a)) /
               static_cast<long double>(wave_.period);
    }
    /// e^{i·n·phase}: half a period's e^{iπ(j + a)}, a power of i, times `half` = e^{i·phase/2} for each half index that n
    /// lies beyond it.
    Value end_of_phase(Integer j, const Value& half) const {
        const double sign = j % 2 == 0 ? 1 : -1;
        const Value turned = wave_.a == 0.5 ? Value(0, sign) : Value(wave_.a == 0 ? sign : -sign);
        if (2 * n_ == wave_.period) return turned;
        return times(turned, 2 * n_ > wave_.period ? half : std::conj(half));
    }
    template <class Complex> Complex combined(Integer j, const Complex& up, const Complex& down) const {
        using Real = typename Complex::value_type;
        const Real weight = j == wave_.undoubled ? Real(0.5) : Real(1);
        return weight * (wave_.is_sine ? times(Complex(0, -1), up - down) : up + down);
    }
    Precise precise(Integer j) const {
        const auto shifted = [&](long double alpha) {
            return std::polar(1.0L, alpha * static_cast<long double>(wave_.shift)) *
                   geometric_sum(alpha + angle_, n_);
        };
        return combined(j, shifted(phase(j)), shifted(-phase(j)));
    }

    Wave wave_;
    Integer n_;
    long double angle_;
    Value r_, end_, first_;
    Geometric halves_;
};

/// Π over the bits b of j of 1 ± r^b, with − where the bit is set: the lower bits' factor times the upper bits'.
Row wht_functional(Integer n, long double angle) {
    Integer lower = 1;
    while (lower * lower < n) lower *= 2;
    const auto product = [&](Integer j, Integer first, Integer end) {
        Precise value = 1;
        for (Integer bit = first; bit < end; bit *= 2)
            value *=
                1.0L + (j & bit ? -1.0L : 1.0L) * std::polar(1.0L, angle * static_cast<long double>(bit));
        return Value(value);
    };
    std::vector<Value> low, high;
    for (Integer j = 0; j < std::min(lower, n); ++j) low.push_back(product(j, 1, std::min(lower, n)));
    for (Integer j = 0; j < n; j += lower) high.push_back(product(j, lower, n));
    return {n, [=](Integer j) {
                return times(high[static_cast<std::size_t>(j / lower)],
                             low[static_cast<std::size_t>(j % lower)]);
            }};
}

/// Σ_k r^k·entry (k, j) of a kind of waves of whole indices, by sums of r^k·ω^{±jk}, ω = e^{2πi/period}.
Row functional_of_waves(TransformKind kind, Integer n, long double angle) {
    const Integer period = points_of_period(kind, n);
    const auto sums = [=](Integer outputs) {
        return [up = dft_functional(Direction::backward, period, outputs, angle),
                down = dft_functional(Direction::forward, period, outputs, angle)](Integer j) {
            struct CosineAndSine {
                Value cosine, sine;
            };
            const Value a = up[j], b = down[j];
            return CosineAndSine{(a + b) / 2.0, times(Value(0, -0.5), a - b)};
        };
    };
    const auto all = sums(n);
    switch (kind) {
    case TransformKind::dct1:
        return {n, [=](Integer j) { return (j == 0 || j == n - 1 ? 1.0 : 2.0) * all(j).cosine; }};
    case TransformKind::dst1: // sin((j+1)(k+1)φ), φ = 2π/period
        return {n, [=](Integer j) {
                    const auto [cosine, sine] = all(j + 1);
                    const Precise root = character(period, j + 1, 1, 1);
                    return 2.0 * (Value(root.real()) * sine + Value(root.imag()) * cosine);
                }};
    case TransformKind::dht: return {n, [=](Integer j) { return all(j).cosine + all(j).sine; }};
    case TransformKind::r2hc:
        return {n, [=, first = sums(n / 2 + 1)](Integer j) {
                    return first(j).cosine + all(j).sine - first(j).sine;
                }};
    case TransformKind::hc2r:
        return {n, [=](Integer j) {
                    if (2 * j > n) return 2.0 * all(j).sine;
                    return (j == 0 || 2 * j == n ? 1.0 : 2.0) * all(j).cosine;
                }};
    default: throw InternalError("not a kind of waves of whole indices");
    }
}

} // namespace

Row functional_row(TransformKind kind, Direction direction, Integer n, long double angle) {
    if (kind == TransformKind::dft) return dft_functional(direction, n, n, angle);
    if (kind == TransformKind::real_dft) {
        if (direction == Direction::forward) return dft_functional(direction, n, n / 2 + 1, angle);
        return half_spectrum(dft_functional(direction, n, n, angle), n);
    }
    if (is_wht(kind))
        return {n, [row = wht_functional(n, angle), kind, n](Integer j) {
                    return row[natural_column(kind, n, j)];
                }};
    if (kind == TransformKind::dct1 || kind == TransformKind::dst1 || kind == TransformKind::dht ||
        kind == TransformKind::r2hc || kind == TransformKind::hc2r)
        return functional_of_waves(kind, n, angle);
    return {n, WaveSums(wave_of(kind, n), n, angle)};
}

} // namespace swirl::planning
