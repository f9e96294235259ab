#include "formula/print.hpp"

#include "base/overloaded.hpp"
#include "formula/band_matrix.hpp"
#include "formula/wavelet.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace swirl::formula {

namespace {

std::string text_of(long double value) {
    char buffer[64];
    const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
    return {buffer, end};
}

std::string text_of(const Affine& form) {
    std::string text = form.constant() == 0 && !form.is_constant() ? "" : fmt::format("{}", form.constant());
    for (const Affine::Term& term : form.terms()) {
        const Integer size = std::abs(term.coefficient);
        text += term.coefficient < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
        if (size != 1) text += fmt::format("{}*", size);
        text += fmt::format("i{}", term.variable);
    }
    return text;
}

enum class Lists { whole, short_ones };

/// Lists of at most this length are printed completely.
constexpr std::size_t longest_short_list = 16;
/// Number of entries printed of longer lists.
constexpr std::size_t shown_of_long_list = 2;

template <class T, class Text>
std::string list(const std::vector<T>& values, Lists lists, Text text_of_value) {
    const bool is_cut = lists == Lists::short_ones && values.size() > longest_short_list;
    const std::size_t shown = is_cut ? shown_of_long_list : values.size();
    std::string text;
    for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? "" : ", ") + text_of_value(values[k]);
    return is_cut ? fmt::format("{}, … {} in all", text, values.size()) : text;
}

std::string list(const std::vector<Complex>& values, Lists lists) {
    return list(values, lists, [](const Complex& value) { return to_text(value); });
}

const char* suffix(Direction direction) { return direction == Direction::forward ? "" : ", backward"; }

std::string with_direction(const char* name, Integer n, Direction direction) {
    return fmt::format("{}({}{})", name, n, suffix(direction));
}

std::string text_of(const DigitMap& digits, Integer domain, Integer range) {
    std::string text;
    for (std::size_t q = 0; q < digits.radices.size(); ++q)
        text += fmt::format("{}{}:{}", q == 0 ? "" : ", ", digits.radices[q], digits.strides[q]);
    if (digits.base != Affine(0)) text += fmt::format("; base {}", text_of(digits.base));
    if (digits.modulus != 0) text += fmt::format("; mod {}", digits.modulus);
    if (range != domain) text += fmt::format("; range {}", range);
    return fmt::format("digits({})", text);
}

std::string text_of(const PiecewiseMap& map, Integer range, Lists lists) {
    const bool is_cut = lists == Lists::short_ones && map.pieces.size() > longest_short_list;
    std::string text;
    for (std::size_t p = 0; p < (is_cut ? shown_of_long_list : map.pieces.size()); ++p)
        text += (p == 0 ? "" : " | ") +
                text_of(map.pieces[p], domain_of(map.pieces[p]), domain_of(map.pieces[p]));
    if (is_cut) text += fmt::format(" | … {} in all", map.pieces.size());
    return fmt::format("pieces({}; range {})", text, range);
}

std::string text_of(const TableMap& table, Integer domain, Integer range, Lists lists) {
    std::string text = list(*table.table, lists, [](Integer value) { return fmt::format("{}", value); });
    if (range != domain) text += fmt::format("; range {}", range);
    return fmt::format("table({})", text);
}

std::string power_of(Integer factor) { return factor == 1 ? "" : fmt::format("^{}", factor); }

std::string text_of(const DiagonalFunction& function, Lists lists) {
    return std::visit(
        Overloaded{
            [](const TwiddleFunction& f) {
                return fmt::format("{}^(i/{}%{} * i/{}%{}){}", with_direction("w", f.order, f.direction),
                                   f.first.divisor, f.first.modulus, f.second.divisor, f.second.modulus,
                                   power_of(f.factor));
            },
            [](const ChirpFunction& f) {
                return with_direction("chirp", f.order, f.direction) + power_of(f.factor);
            },
            [](const ChirpSpectrumFunction& f) {
                return with_direction(fmt::format("spectrum({})", f.order).c_str(), f.size, f.direction);
            },
            [](const ConstantFunction& f) { return fmt::format("constant({})", to_text(f.value)); },
            [&](const ExplicitFunction& f) { return fmt::format("list({})", list(*f.values, lists)); },
            [](const ArgumentFunction& f) {
                return f.order > 0 ? fmt::format("argument({})", f.order) : std::string("argument");
            },
        },
        function);
}

std::string text_of(const IndexMap& map, Lists lists);
std::string text_of(const Formula& formula, Lists lists);

std::string text_of(const Diagonal& diagonal, Integer n, Lists lists) {
    if (diagonal.index == IndexMap::identity(n).canonical()) {
        if (const auto* twiddles = std::get_if<TwiddleFunction>(&diagonal.function)) {
            const Integer row = twiddles->second.modulus;
            const Direction direction = twiddles->direction;
            if (twiddles->order == n && n % row == 0 && T(n, row, direction).payload() == Payload(diagonal))
                return fmt::format("T({}, {}{})", n, row, suffix(direction));
        }
        const auto* values = std::get_if<ExplicitFunction>(&diagonal.function);
        if (values && static_cast<Integer>(values->values.size()) == n)
            return fmt::format("diag({})", list(*values->values, lists));
    }
    return fmt::format("diag({}; {})", text_of(diagonal.function, lists), text_of(diagonal.index, lists));
}

std::string text_of(const Permutation& permutation, Integer n, Lists lists) {
    if (const auto* digits = std::get_if<DigitMap>(&permutation.map.kind())) {
        if (digits->radices.size() == 2 &&
            permutation.map == IndexMap::stride_permutation(n, digits->radices[0]))
            return fmt::format("L({}, {})", n, digits->radices[0]);
        if (n > 1 && permutation.map == IndexMap::reversal(n)) return fmt::format("J({})", n);
    }
    return fmt::format("perm({})", text_of(permutation.map, lists));
}

std::string text_of(const Tagged& tagged) {
    switch (tagged.tag) {
    case Tag::pass: return "pass";
    case Tag::tile: return "tile";
    case Tag::codelet: return "codelet";
    case Tag::par: return fmt::format("par({})", tagged.parameter);
    case Tag::rank: return fmt::format("rank({})", tagged.parameter);
    case Tag::exchange: return "exchange";
    }
    throw InternalError("a tag of unknown kind {}", static_cast<int>(tagged.tag));
}

/// The name of a product that has one.
std::optional<std::string> name_of_product(const Formula& formula) {
    if (!formula.is<Product>() || formula.children().size() != 3) return std::nullopt;
    for (const bool is_inverse : {false, true}) {
        const Formula& cosines = is_inverse ? formula.children().back() : formula.children().front();
        const Integer n = cosines.rows();
        const auto* dct = cosines.get_if<Dct>();
        if (dct != nullptr && dct->type == 4 && n % 2 == 0 && formula == (is_inverse ? IMDCT(n) : MDCT(n)))
            return fmt::format("{}({})", is_inverse ? "IMDCT" : "MDCT", n);
    }
    return std::nullopt;
}

/// Operands that are operators themselves get parentheses, even where precedence requires none.
std::string operand(const Formula& formula, Lists lists) {
    if (const auto name = name_of_product(formula)) return *name;
    const bool is_operator = formula.is<DirectSum>() || formula.is<Product>() || formula.is<Kronecker>();
    return is_operator ? fmt::format("({})", text_of(formula, lists)) : text_of(formula, lists);
}

std::string joined(const Formula& formula, const char* separator, Lists lists) {
    std::string text;
    for (const Formula& child : formula.children())
        text += (text.empty() ? "" : separator) + operand(child, lists);
    return text;
}

std::string text_of(const IndexMap& map, Lists lists) {
    if (map == IndexMap::identity(map.domain()).canonical()) return fmt::format("id({})", map.domain());
    return std::visit(
        Overloaded{
            [&](const DigitMap& digits) {
                if (digits.modulus != 0 || digits.radices.size() > 1 ||
                    (digits.radices.size() == 1 && digits.radices[0] == 1))
                    return text_of(digits, map.domain(), map.range());
                return fmt::format("h({} → {}; {}, {})", map.domain(), map.range(), text_of(digits.base),
                                   digits.strides.empty() ? 1 : digits.strides[0]);
            },
            [&](const PowerMap& power) {
                return fmt::format("power({} mod {}; {} → {})", power.generator, power.prime, map.domain(),
                                   map.range());
            },
            [&](const TableMap& table) { return text_of(table, map.domain(), map.range(), lists); },
            [&](const PiecewiseMap& pieces) { return text_of(pieces, map.range(), lists); },
        },
        map.kind());
}

std::string text_of(const Formula& formula, Lists lists) {
    const Integer n = formula.columns();
    const auto inside = [&] { return text_of(formula.children().front(), lists); };
    return std::visit(
        Overloaded{
            [&](const Identity&) { return fmt::format("I({})", n); },
            [&](const Dft& p) { return with_direction("DFT", n, p.direction); },
            [&](const Wht& p) {
                return fmt::format("WHT({}{})", n,
                                   p.order == WalshOrder::natural  ? ""
                                   : p.order == WalshOrder::dyadic ? ", dyadic"
                                                                   : ", sequency");
            },
            [&](const RealDft& p) { return with_direction("RDFT", n, p.direction); },
            [&](const Dct& p) { return fmt::format("DCT{}({})", p.type, n); },
            [&](const Dst& p) { return fmt::format("DST{}({})", p.type, n); },
            [&](const Dht&) { return fmt::format("DHT({})", n); },
            [&](const ChirpZ& p) {
                return fmt::format("CZT({}, {}, {}, {})", n, formula.rows(), text_of(p.start),
                                   text_of(p.step));
            },
            [&](const WaveletTransform& p) {
                return fmt::format("{}({}, {}, {}, {}{})", p.inverse ? "IDWT" : "DWT",
                                   samples_of(p, formula.shape()), to_text(p.wavelet), p.levels,
                                   to_text(p.ends), p.transposed ? ", transposed" : "");
            },
            [&](const FirFilter& p) {
                return fmt::format("FIR({}, {}{}; {})", samples_of(p, formula.shape()), text_of_ends(p),
                                   p.transposed ? ", transposed" : "", list(*p.taps, lists));
            },
            [&](const Circulant& p) {
                return p.kernel ? fmt::format("circulant({})", list(*p.kernel, lists))
                                : fmt::format("{}convolution({})", p.of_reals ? "r" : "", n);
            },
            [&](const Permutation& p) { return text_of(p, n, lists); },
            [&](const Gather& p) { return fmt::format("G({})", text_of(p.map, lists)); },
            [&](const Scatter& p) { return fmt::format("S({})", text_of(p.map, lists)); },
            [&](const Diagonal& p) { return text_of(p, n, lists); },
            [&](const Matrix& p) {
                if (formula == F2()) return std::string("F2");
                return fmt::format("matrix({}, {}; {})", formula.rows(), n, list(p.entries, lists));
            },
            [&](const Product&) {
                const auto name = name_of_product(formula);
                return name ? *name : joined(formula, " · ", lists);
            },
            [&](const Kronecker&) { return joined(formula, " ⊗ ", lists); },
            [&](const DirectSum&) { return joined(formula, " ⊕ ", lists); },
            [&](const IterativeSum& p) {
                return fmt::format("Σ(i{} < {})[{}]", p.variable, p.count, inside());
            },
            [&](const RealOf&) { return fmt::format("real[{}]", inside()); },
            [&](const Tagged& p) { return fmt::format("{}[{}]", text_of(p), inside()); },
        },
        formula.payload());
}

} // namespace

std::string to_text(const Complex& value) {
    const std::string imaginary = text_of(value.imag()) + "i";
    if (value.imag() == 0) return text_of(value.real());
    if (value.real() == 0) return imaginary;
    return text_of(value.real()) + (std::signbit(value.imag()) ? "" : "+") + imaginary;
}

std::string to_text(Ends ends) {
    switch (ends) {
    case Ends::zero: return "zero";
    case Ends::periodic: return "periodic";
    case Ends::symmetric: return "symmetric";
    case Ends::reflect: return "reflect";
    case Ends::jpeg2000: return "jpeg2000";
    }
    throw InternalError("ends of unknown kind {}", static_cast<int>(ends));
}

std::string text_of_ends(const FirFilter& filter) {
    if (filter.outputs == FilterOutputs::same) return to_text(filter.ends);
    return filter.outputs == FilterOutputs::full ? "full" : "valid";
}

std::string to_text(const IndexMap& map) { return text_of(map, Lists::whole); }
std::string to_text(const Formula& formula) { return text_of(formula, Lists::whole); }
std::string to_short_text(const Formula& formula) { return text_of(formula, Lists::short_ones); }

} // namespace swirl::formula
