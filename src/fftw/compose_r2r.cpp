// Kinds that swirl has are transforms of their own. The others are real DFTs between copies, with the output Y, the input X,
// and the half spectrum S of a real DFT:
//
//   R2HC      Y = Re S_0 … Re S_⌊n/2⌋, Im S_⌊(n−1)/2⌋ … Im S_1
//   HC2R      the inverse of that
//   DHT       Y_k = Re S_k − Im S_k,  Y_{n−k} = Re S_k + Im S_k
//   REDFT00   Y = Re S of the even sequence X_0 … X_{n−1}, X_{n−2} … X_1 of 2(n−1) points
//   RODFT00   Y_k = −Im S_{k+1} of the odd sequence 0, X_0 … X_{n−1}, 0, −X_{n−1} … −X_0 of 2(n+1) points

#include "base/error.hpp"
#include "fftw/composer.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace swirl::fftw {
namespace {

std::optional<TransformKind> own_kind(R2rKind kind) {
    switch (kind) {
    case R2rKind::redft10: return TransformKind::dct2;
    case R2rKind::redft01: return TransformKind::dct3;
    case R2rKind::redft11: return TransformKind::dct4;
    case R2rKind::rodft10: return TransformKind::dst2;
    case R2rKind::rodft01: return TransformKind::dst3;
    case R2rKind::rodft11: return TransformKind::dst4;
    case R2rKind::r2hc:
    case R2rKind::hc2r:
    case R2rKind::dht:
    case R2rKind::redft00:
    case R2rKind::rodft00: break;
    }
    return std::nullopt;
}

std::vector<Integer> with_length(std::vector<Integer> lengths, std::size_t axis, Integer length) {
    lengths[axis] = length;
    return lengths;
}

/// One transform along one axis of real data. All steps that read the input precede those that write the output, which may
/// therefore be the same array.
class AlongAxis {
public:
    AlongAxis(Composer& composer, const std::vector<Integer>& lengths, std::size_t axis)
        : composer_(composer), lengths_(lengths), axis_(axis), n_(lengths[axis]) {}

    void append(R2rKind kind, const View& from, const View& to) {
        switch (kind) {
        case R2rKind::r2hc: return r2hc(from, to);
        case R2rKind::hc2r: return hc2r(from, to);
        case R2rKind::dht: return dht(from, to);
        case R2rKind::redft00: return redft00(from, to);
        case R2rKind::rodft00: return rodft00(from, to);
        default: throw InternalError("a kind of r2r that swirl has is composed of others");
        }
    }

private:
    static constexpr Integer real = 0, imaginary = 1;

    std::vector<Integer> of_length(Integer length) const { return with_length(lengths_, axis_, length); }
    View spectrum_of(Integer points) {
        return composer_.complex_scratch(of_length(points / 2 + 1), ComplexLayout::interleaved);
    }
    View part(const View& view, Integer first, Integer step) const {
        return composer_.part(view, axis_, first, step);
    }
    void copy(Integer count, const View& from, const View& to, double scale = 1) {
        if (count > 0) composer_.copy(of_length(count), from, to, scale);
    }
    void real_dft(Integer points, Direction direction, const View& from, const View& to) {
        const std::array along = {axis_};
        Transform rdft = composer_.transform(TransformKind::real_dft, of_length(points), along, from, to);
        rdft.direction = direction;
        composer_.append(std::move(rdft), from, to);
    }

    void r2hc(const View& from, const View& to) {
        const View spectrum = spectrum_of(n_);
        real_dft(n_, Direction::forward, from, spectrum);
        copy(n_ / 2 + 1, composer_.components(spectrum, real), to);
        copy((n_ - 1) / 2, part(composer_.components(spectrum, imaginary), 1, 1), part(to, n_ - 1, -1));
    }

    void hc2r(const View& from, const View& to) {
        composer_.clear_scratch(); // the imaginary components that are zero
        const View spectrum = spectrum_of(n_);
        copy(n_ / 2 + 1, from, composer_.components(spectrum, real));
        copy((n_ - 1) / 2, part(from, n_ - 1, -1), part(composer_.components(spectrum, imaginary), 1, 1));
        real_dft(n_, Direction::backward, spectrum, to);
    }

    void dht(const View& from, const View& to) {
        const View spectrum = spectrum_of(n_);
        real_dft(n_, Direction::forward, from, spectrum);
        sums_and_differences(spectrum);
        copy(n_ / 2 + 1, composer_.components(spectrum, imaginary), to);
        copy((n_ - 1) / 2, part(composer_.components(spectrum, real), 1, 1), part(to, n_ - 1, -1));
    }

    /// Replaces each pair a, b by a + b, a − b.
    void sums_and_differences(const View& spectrum) {
        std::vector<Integer> lengths = of_length(n_ / 2 + 1);
        View pairs = composer_.components(spectrum, real);
        const std::array along = {lengths.size()};
        lengths.push_back(2);
        pairs.strides.push_back(1);
        Transform butterflies =
            composer_.transform(TransformKind::real_formula, lengths, along, pairs, pairs);
        butterflies.matrix = MatrixFormula("DFT(2)");
        butterflies.placement = Placement::in_place;
        composer_.append(std::move(butterflies), pairs, pairs);
    }

    void redft00(const View& from, const View& to) {
        if (n_ < 2) throw UserError("REDFT00 of {} points is not defined", n_);
        const Integer points = 2 * (n_ - 1);
        const View even = composer_.scratch(of_length(points)), spectrum = spectrum_of(points);
        copy(n_, from, even);
        copy(n_ - 2, part(from, n_ - 2, -1), part(even, n_, 1));
        real_dft(points, Direction::forward, even, spectrum);
        copy(n_, composer_.components(spectrum, real), to);
    }

    void rodft00(const View& from, const View& to) {
        const Integer points = 2 * (n_ + 1);
        composer_.clear_scratch(); // both zeros of the odd sequence
        const View odd = composer_.scratch(of_length(points)), spectrum = spectrum_of(points);
        copy(n_, from, part(odd, 1, 1));
        copy(n_, part(from, n_ - 1, -1), part(odd, n_ + 2, 1), -1);
        real_dft(points, Direction::forward, odd, spectrum);
        copy(n_, part(composer_.components(spectrum, imaginary), 1, 1), to, -1);
    }

    Composer& composer_;
    const std::vector<Integer>& lengths_;
    std::size_t axis_;
    Integer n_;
};

} // namespace

void compose_r2r(const GuruProblem& problem, const View& from, const View& to, Composer& composer) {
    const std::vector<Integer> lengths = lengths_of(problem);
    if (problem.kinds.empty())
        return composer.append_any(composer.identity(lengths, from, to), lengths, {}, from, to);
    // The first transform takes the data from the input to the output, where the others work in place.
    const View* source = &from;
    std::vector<bool> is_done(problem.kinds.size());
    for (std::size_t d = 0; d < problem.kinds.size(); ++d) {
        if (is_done[d]) continue;
        const R2rKind kind = problem.kinds[d];
        if (const auto own = own_kind(kind)) {
            std::vector<std::size_t> along; // all dimensions of one kind at once
            for (std::size_t other = d; other < problem.kinds.size(); ++other)
                if (problem.kinds[other] == kind) {
                    along.push_back(other);
                    is_done[other] = true;
                }
            composer.append_any(composer.transform(*own, lengths, along, *source, to), lengths, along,
                                *source, to);
        } else {
            AlongAxis(composer, lengths, d).append(kind, *source, to);
        }
        source = &to;
    }
}

} // namespace swirl::fftw
