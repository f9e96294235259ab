#include "formula/definition.hpp"

#include "base/overloaded.hpp"
#include "formula/chirp_z.hpp"

#include <algorithm>
#include <bit>

namespace swirl::formula {

namespace {

/// All angles are multiples of 2π divided by this.
Integer order_of_cosines(int type, Integer n) {
    if (type == 1) return 2 * (n - 1);
    if (type <= 4) return 8 * n;
    return type == 8 ? 4 * (2 * n + 1) : 4 * (2 * n - 1);
}
Integer order_of_sines(int type, Integer n) {
    if (type == 1) return 2 * (n + 1);
    if (type <= 4) return 8 * n;
    return type == 8 ? 4 * (2 * n - 1) : 4 * (2 * n + 1);
}

} // namespace

Integer natural_row(WalshOrder order, Integer n, Integer k) {
    if (order == WalshOrder::natural) return k;
    const Integer code = order == WalshOrder::sequency ? k ^ (k >> 1) : k;
    Integer reversed = 0;
    for (Integer low = 1, high = n / 2; low < n; low *= 2, high /= 2)
        if ((code & low) != 0) reversed |= high;
    return reversed;
}

Definition::Definition(const Formula& formula) : formula_(formula), n_(formula.columns()) {
    Direction direction = Direction::backward; // e^{+iφ}: cosine and sine of the angles in the definitions
    if (const auto* dft = formula.get_if<Dft>()) {
        order_ = n_;
        direction = dft->direction;
    }
    if (formula.is<RealDft>() || formula.is<Dht>()) order_ = n_;
    if (const auto* dct = formula.get_if<Dct>()) order_ = order_of_cosines(dct->type, n_);
    if (const auto* dst = formula.get_if<Dst>()) order_ = order_of_sines(dst->type, n_);
    roots_.reserve(static_cast<std::size_t>(order_));
    if (const auto* circulant = formula.get_if<Circulant>()) {
        if (circulant->kernel)
            kernel_ = *circulant->kernel;
        else
            order_ = n_;
    }
    for (Integer k = 0; k < order_; ++k) roots_.push_back(root_of_unity(order_, k, direction));
    if (!formula.is<Circulant>() || !kernel_.empty()) return;
    const ArgumentFunction placeholder{formula.get_if<Circulant>()->of_reals ? n_ : 0};
    for (Integer i = 0; i < n_; ++i) { // inverse transform of the placeholder spectrum
        Complex sum = 0;
        for (Integer k = 0; k < n_; ++k) sum += root(i * k) * diagonal_value(placeholder, k);
        kernel_.push_back(sum / static_cast<long double>(n_));
    }
}

void Definition::row(Integer i, std::span<Complex> entries) const {
    ensure(static_cast<Integer>(entries.size()) == n_, "a row of {} entries of a matrix with {} columns",
           entries.size(), n_);
    std::visit(Overloaded{
                   [&](const Dft&) {
                       for (Integer j = 0, k = 0; j < n_; ++j, k = (k + i) % n_) entries[j] = roots_[k];
                   },
                   [&](const Wht& p) {
                       const Integer row = natural_row(p.order, n_, i);
                       for (Integer j = 0; j < n_; ++j)
                           entries[j] = std::popcount(static_cast<std::uint64_t>(row & j)) % 2 == 0 ? 1 : -1;
                   },
                   [&](const RealDft& p) { real_dft_row(p.direction, i, entries); },
                   [&](const Dct& p) { dct_row(p.type, i, entries); },
                   [&](const Dst& p) { dst_row(p.type, i, entries); },
                   [&](const Dht&) {
                       for (Integer j = 0; j < n_; ++j) entries[j] = root(i * j).real() + root(i * j).imag();
                   },
                   [&](const Circulant&) {
                       for (Integer j = 0; j < n_; ++j)
                           entries[j] = kernel_[static_cast<std::size_t>(modulo(i - j, n_))];
                   },
                   [&](const ChirpZ& p) {
                       for (Integer j = 0; j < n_; ++j) entries[j] = chirp_z_entry(p, i, j);
                   },
                   [&](const Matrix& p) { std::copy_n(p.entries.begin() + i * n_, n_, entries.begin()); },
                   [&](const auto&) { throw InternalError("a definition by rows of a compound term"); },
               },
               formula_.payload());
}

// FFTW's R2HC: r_k = Σ x_j cos(2πjk/n) in row k ≤ n/2, i_k = −Σ x_j sin(2πjk/n) in row n−k.
// HC2R: y_j = r_0 + 2 Σ_{0<k<n/2} (r_k cos(2πjk/n) − i_k sin(2πjk/n)) + (−1)^j r_{n/2}.
void Definition::real_dft_row(Direction direction, Integer i, std::span<Complex> entries) const {
    for (Integer j = 0; j < n_; ++j) {
        const Integer frequency = direction == Direction::forward ? i : j;
        const Integer k = std::min(frequency, n_ - frequency);
        const Complex w = root((direction == Direction::forward ? j : i) * k);
        const long double value = 2 * frequency <= n_ ? w.real() : -w.imag();
        const bool twice = direction == Direction::backward && frequency != 0 && 2 * frequency != n_;
        entries[j] = twice ? 2 * value : value;
    }
}

// FFTW's REDFT00, angles in units of 2π/2(n−1); REDFT10, REDFT01, REDFT11, angles in units of 2π/8n. Types 5 to 8 in units
// of 2π/4M, where M is the odd period.
void Definition::dct_row(int type, Integer i, std::span<Complex> entries) const {
    for (Integer j = 0; j < n_; ++j) {
        if (type == 1) entries[j] = (j == 0 || j == n_ - 1 ? 1 : 2) * root(j * i).real();
        if (type == 2) entries[j] = 2 * root(2 * (2 * j + 1) * i).real();
        if (type == 3) entries[j] = (j == 0 ? 1 : 2) * root(2 * j * (2 * i + 1)).real();
        if (type == 4 || type == 8) entries[j] = 2 * root((2 * j + 1) * (2 * i + 1)).real();
        if (type == 5) entries[j] = (j == 0 ? 1 : 2) * root(4 * j * i).real();
        if (type == 6) entries[j] = (j == n_ - 1 ? 1 : 2) * root(2 * (2 * j + 1) * i).real();
        if (type == 7) entries[j] = (j == 0 ? 1 : 2) * root(2 * j * (2 * i + 1)).real();
    }
}

// FFTW's RODFT00, angles in units of 2π/2(n+1); RODFT10, RODFT01, RODFT11.
void Definition::dst_row(int type, Integer i, std::span<Complex> entries) const {
    for (Integer j = 0; j < n_; ++j) {
        if (type == 1) entries[j] = 2 * root((j + 1) * (i + 1)).imag();
        if (type == 2) entries[j] = 2 * root(2 * (2 * j + 1) * (i + 1)).imag();
        if (type == 3) entries[j] = (j == n_ - 1 ? 1 : 2) * root(2 * (j + 1) * (2 * i + 1)).imag();
        if (type == 4) entries[j] = 2 * root((2 * j + 1) * (2 * i + 1)).imag();
        if (type == 5) entries[j] = 2 * root(4 * (j + 1) * (i + 1)).imag();
        if (type == 6) entries[j] = 2 * root(2 * (2 * j + 1) * (i + 1)).imag();
        if (type == 7) entries[j] = 2 * root(2 * (j + 1) * (2 * i + 1)).imag();
        if (type == 8) entries[j] = (j == n_ - 1 ? 1 : 2) * root((2 * j + 1) * (2 * i + 1)).imag();
    }
}

} // namespace swirl::formula
