#include "base/overloaded.hpp"
#include "formula/band_matrix.hpp"
#include "formula/print.hpp"
#include "formula/wavelet.hpp"

#include <fmt/format.h>

namespace swirl::formula {

namespace {

std::string name(std::string_view letters, Integer n) {
    return fmt::format("\\mathrm{{{}}}_{{{}}}", letters, n);
}

std::string name(std::string_view letters, Integer n, Direction direction) {
    return name(letters, n) + (direction == Direction::forward ? "" : "^{-}");
}

std::string variable(Variable v) { return fmt::format("i_{{{}}}", v); }

std::string latex(const Affine& form) {
    std::string text = form.constant() == 0 && !form.is_constant() ? "" : fmt::format("{}", form.constant());
    for (const Affine::Term& term : form.terms()) {
        text += term.coefficient < 0 ? "-" : (text.empty() ? "" : "+");
        if (std::abs(term.coefficient) != 1) text += fmt::format("{}", std::abs(term.coefficient));
        text += variable(term.variable);
    }
    return text;
}

/// A map as the subscript of its matrix.
std::string latex(const IndexMap& map) {
    const auto arrow = [&] { return fmt::format("{} \\to {}", map.domain(), map.range()); };
    return std::visit(
        Overloaded{
            [&](const DigitMap& digits) {
                if (digits.radices.size() <= 1 && digits.modulus == 0)
                    return fmt::format("h^{{{}}}_{{{},\\,{}}}", arrow(), latex(digits.base),
                                       digits.strides.empty() ? 1 : digits.strides[0]);
                std::string sum, radices;
                for (std::size_t q = 0; q < digits.radices.size(); ++q) {
                    radices += fmt::format("{}{}", q == 0 ? "" : " \\times ", digits.radices[q]);
                    sum += fmt::format("{}{} d_{{{}}}", q > 0 && digits.strides[q] >= 0 ? "+" : "",
                                       digits.strides[q], q);
                }
                if (digits.base != Affine(0)) sum += fmt::format("+{}", latex(digits.base));
                if (digits.modulus != 0) sum += fmt::format(" \\bmod {}", digits.modulus);
                return fmt::format("d \\in {} \\mapsto {}", radices, sum);
            },
            [&](const PowerMap& power) {
                return fmt::format("i \\mapsto {}^i \\bmod {}", power.generator, power.prime);
            },
            [&](const PiecewiseMap& pieces) {
                std::string text;
                for (const DigitMap& piece : pieces.pieces)
                    text += (text.empty() ? "" : " \\mid ") +
                            latex(IndexMap(domain_of(piece), map.range(), piece));
                return text;
            },
            [&](const TableMap& table) {
                std::string values;
                for (const Integer value : *table.table)
                    values += fmt::format("{}{}", values.empty() ? "" : ",", value);
                return fmt::format("({})", values);
            },
        },
        map.kind());
}

std::string list(const std::vector<Complex>& values) {
    std::string text;
    for (const Complex& value : values) text += (text.empty() ? "" : ",\\, ") + to_text(value);
    return text;
}

std::string latex(const DiagonalFunction& function) {
    return std::visit(
        Overloaded{
            [](const TwiddleFunction& f) {
                const auto digit = [](const Digit& d) {
                    return fmt::format("(\\lfloor i/{} \\rfloor \\bmod {})", d.divisor, d.modulus);
                };
                const std::string factor = f.factor == 1 ? "" : fmt::format("{}\\,", f.factor);
                return fmt::format("\\omega_{{{}}}^{{{}{}{}\\,{}}}", f.order,
                                   f.direction == Direction::forward ? "" : "-", factor, digit(f.first),
                                   digit(f.second));
            },
            [](const ChirpFunction& f) {
                const std::string factor = f.factor == 1 ? "" : fmt::format("{}\\,", f.factor);
                return fmt::format("e^{{{}\\pi \\mathrm{{i}}\\, {}i^2/{}}}",
                                   f.direction == Direction::forward ? "-" : "", factor, f.order);
            },
            [](const ChirpSpectrumFunction& f) {
                return fmt::format("\\hat c_{{{}, {}}}{}", f.order, f.size,
                                   f.direction == Direction::forward ? "" : "^*");
            },
            [](const ConstantFunction& f) { return to_text(f.value); },
            [](const ExplicitFunction& f) { return list(*f.values); },
            [](const ArgumentFunction&) { return std::string("\\hat h"); },
        },
        function);
}

std::string latex_leaf(const Diagonal& diagonal, const Formula& formula) {
    const Integer n = formula.rows();
    const auto* twiddles = std::get_if<TwiddleFunction>(&diagonal.function);
    if (twiddles && twiddles->order == n && n % twiddles->second.modulus == 0 &&
        formula == T(n, twiddles->second.modulus, twiddles->direction))
        return fmt::format("{}^{{{}}}_{{{}}}",
                           twiddles->direction == Direction::forward ? "T" : "\\overline{T}", n,
                           twiddles->second.modulus);
    if (diagonal.index == IndexMap::identity(n).canonical())
        return fmt::format("\\operatorname{{diag}}_{{i<{}}}\\left({}\\right)", n, latex(diagonal.function));
    return fmt::format("\\operatorname{{diag}}\\left({}\\right)_{{i = {}}}", latex(diagonal.function),
                       latex(diagonal.index));
}

std::string latex_leaf(const Permutation& permutation, const Formula& formula) {
    const Integer n = formula.rows();
    const auto* digits = std::get_if<DigitMap>(&permutation.map.kind());
    if (digits && digits->radices.size() == 2 &&
        permutation.map == IndexMap::stride_permutation(n, digits->radices[0]))
        return fmt::format("L^{{{}}}_{{{}}}", n, digits->radices[0]);
    if (n > 1 && permutation.map == IndexMap::reversal(n)) return fmt::format("J_{{{}}}", n);
    return fmt::format("P_{{{}}}", latex(permutation.map));
}

std::string latex_leaf(const Matrix& matrix, const Formula& formula) {
    std::string rows;
    for (std::size_t i = 0; i < matrix.entries.size(); ++i) {
        if (i > 0) rows += i % static_cast<std::size_t>(formula.columns()) == 0 ? " \\\\ " : " & ";
        rows += to_text(matrix.entries[i]);
    }
    return fmt::format("\\begin{{bmatrix}} {} \\end{{bmatrix}}", rows);
}

bool is_operator(const Formula& formula) {
    return formula.is<Product>() || formula.is<Kronecker>() || formula.is<DirectSum>() ||
           formula.is<IterativeSum>();
}

std::string operand(const Formula& formula) {
    return is_operator(formula) ? fmt::format("\\left({}\\right)", to_latex(formula)) : to_latex(formula);
}

std::string joined(const Formula& formula, const char* separator) {
    std::string text;
    for (const Formula& child : formula.children()) text += (text.empty() ? "" : separator) + operand(child);
    return text;
}

std::string latex_tag(const Tagged& tagged) {
    switch (tagged.tag) {
    case Tag::pass: return "\\mathrm{pass}";
    case Tag::tile: return "\\mathrm{tile}";
    case Tag::codelet: return "\\mathrm{codelet}";
    case Tag::par: return fmt::format("\\mathrm{{par}}({})", tagged.parameter);
    case Tag::rank: return fmt::format("\\mathrm{{rank}}({})", tagged.parameter);
    case Tag::exchange: return "\\mathrm{exchange}";
    }
    throw InternalError("a tag of unknown kind {}", static_cast<int>(tagged.tag));
}

} // namespace

std::string to_latex(const Formula& formula) {
    const Integer n = formula.columns();
    const auto child = [&] { return operand(formula.children().front()); };
    const auto inside = [&] { return to_latex(formula.children().front()); };
    return std::visit(
        Overloaded{
            [&](const Identity&) { return fmt::format("I_{{{}}}", n); },
            [&](const Dft& p) { return name("DFT", n, p.direction); },
            [&](const Wht& p) {
                return name(p.order == WalshOrder::natural  ? "WHT"
                            : p.order == WalshOrder::dyadic ? "WHT^{dyadic}"
                                                            : "WHT^{sequency}",
                            n);
            },
            [&](const RealDft& p) { return name("RDFT", n, p.direction); },
            [&](const Dct& p) { return name(fmt::format("DCT{}", p.type), n); },
            [&](const Dst& p) { return name(fmt::format("DST{}", p.type), n); },
            [&](const Dht&) { return name("DHT", n); },
            [&](const Circulant& p) {
                return p.kernel ? fmt::format("\\operatorname{{Circ}}({})", list(*p.kernel))
                                : fmt::format("\\operatorname{{{}Circ}}_{{{}}}", p.of_reals ? "R" : "", n);
            },
            [&](const Permutation& p) { return latex_leaf(p, formula); },
            [&](const Gather& p) { return fmt::format("\\mathrm{{G}}_{{{}}}", latex(p.map)); },
            [&](const Scatter& p) { return fmt::format("\\mathrm{{S}}_{{{}}}", latex(p.map)); },
            [&](const Diagonal& p) { return latex_leaf(p, formula); },
            [&](const ChirpZ& p) {
                return fmt::format("\\mathrm{{CZT}}_{{{} \\to {}}}({}, {})", n, formula.rows(),
                                   to_text(Complex(p.start)), to_text(Complex(p.step)));
            },
            [&](const WaveletTransform& p) {
                const auto ends = to_text(p.ends);
                return name(fmt::format("{}DWT", p.inverse ? "I" : ""), samples_of(p, formula.shape())) +
                       fmt::format("^{{\\mathrm{{{}}},\\,{},\\,\\mathrm{{{}}}}}{}", to_text(p.wavelet),
                                   p.levels, ends, p.transposed ? "{}^{\\top}" : "");
            },
            [&](const FirFilter& p) {
                return fmt::format("\\mathrm{{FIR}}_{{{}}}^{{\\mathrm{{{}}}}}({}){}",
                                   samples_of(p, formula.shape()), text_of_ends(p), list(*p.taps),
                                   p.transposed ? "^{\\top}" : "");
            },
            [&](const Matrix& p) { return latex_leaf(p, formula); },
            [&](const Product&) { return joined(formula, "\\, "); },
            [&](const Kronecker&) { return joined(formula, " \\otimes "); },
            [&](const DirectSum&) { return joined(formula, " \\oplus "); },
            [&](const IterativeSum& p) {
                return fmt::format("\\sum_{{{}=0}}^{{{}}} {}", variable(p.variable), p.count - 1, child());
            },
            [&](const RealOf&) { return fmt::format("\\overline{{{}}}^{{\\,\\mathbb R}}", inside()); },
            [&](const Tagged& p) { return fmt::format("\\underbrace{{{}}}_{{{}}}", inside(), latex_tag(p)); },
        },
        formula.payload());
}

} // namespace swirl::formula
