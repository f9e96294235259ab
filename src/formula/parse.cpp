#include "formula/parse.hpp"

#include "formula/parse_index_map.hpp"
#include "formula/print.hpp"
#include "formula/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace swirl::formula {

namespace {

/// Recursive descent: one function per level of the grammar in parse.hpp.
class Parser {
public:
    enum class Tags : std::uint8_t { accepted, refused };

    Parser(std::string_view text, std::size_t begin, Tags tags) : scan_(text, begin), tags_(tags) {}

    Formula all() {
        Formula result = sum();
        if (!scan_.at_end()) scan_.fail_expected("an operator or the end");
        return result;
    }
    ParsedPrefix prefix() {
        Formula result = sum();
        return {std::move(result), scan_.position()};
    }

private:
    using Parts = std::vector<Formula>;

    Formula sum();
    Formula product();
    Formula tensor();
    Formula atom();
    Formula bracketed();
    std::optional<Formula> transform(std::string_view name);
    std::optional<Formula> leaf(std::string_view name);
    std::optional<Formula> filter(std::string_view name);
    Wavelet wavelet();
    std::optional<Ends> ends();
    std::optional<Formula> wrapper(std::string_view name, std::size_t position);
    Formula iterative();
    Formula diagonal_term();
    DiagonalFunction diagonal_function();
    Digit digit();
    IndexMap index_map() { return parse_index_map(scan_); }
    Direction direction();
    WalshOrder walsh_order();
    std::vector<Complex> complex_list();

    template <class Build> auto built(std::size_t position, Build&& build) {
        return scan_.built(position, std::forward<Build>(build));
    }

    static constexpr int deepest = 200; ///< keeps the recursion well within a small thread's stack
    Scanner scan_;
    Tags tags_;
    int depth_ = 0;
};

Formula Parser::sum() {
    if (++depth_ > deepest) scan_.fail(scan_.position(), "terms nest too deeply");
    const std::size_t position = scan_.position();
    Parts summands{product()};
    while (scan_.accept_any({"⊕", "(+)", "+"})) summands.push_back(product());
    --depth_;
    return built(position, [&] { return direct_sum(std::move(summands)); });
}

Formula Parser::product() {
    const std::size_t position = scan_.position();
    Parts factors{tensor()};
    while (scan_.accept_any({"·", "*"})) factors.push_back(tensor());
    return built(position, [&] { return formula::product(std::move(factors)); });
}

Formula Parser::tensor() {
    const std::size_t position = scan_.position();
    Parts factors{atom()};
    while (scan_.accept_any({"⊗", "(x)", "@"})) factors.push_back(atom());
    return built(position, [&] { return kron(std::move(factors)); });
}

Formula Parser::atom() {
    if (scan_.accept("(")) {
        Formula inside = sum();
        scan_.expect(")");
        return inside;
    }
    if (scan_.accept_any({"Σ", "sum"})) return iterative();
    const std::size_t position = scan_.position();
    const std::string_view name = scan_.word();
    if (name.empty()) scan_.fail_expected("a term");
    if (auto term = transform(name)) return *std::move(term);
    if (auto term = leaf(name)) return *std::move(term);
    if (auto term = filter(name)) return *std::move(term);
    if (auto term = wrapper(name, position)) return *std::move(term);
    scan_.fail(
        position,
        fmt::format("unknown term '{}'; there are I, F2, DFT, WHT, RDFT, DCT1…8, DST1…8, "
                    "DHT, MDCT, IMDCT, CZT, DWT, IDWT, FIR, circulant, L, J, "
                    "T, perm, G, S, diag, matrix, sum, real{}",
                    name, tags_ == Tags::accepted ? ", pass, tile, codelet, par, rank, exchange" : ""));
}

Formula Parser::bracketed() {
    scan_.expect("[");
    Formula inside = sum();
    scan_.expect("]");
    return inside;
}

Direction Parser::direction() {
    if (!scan_.accept(",")) return Direction::forward;
    if (scan_.accept("backward")) return Direction::backward;
    if (!scan_.accept("forward")) scan_.fail_expected("'forward' or 'backward'");
    return Direction::forward;
}

WalshOrder Parser::walsh_order() {
    if (!scan_.accept(",")) return WalshOrder::natural;
    if (scan_.accept("dyadic")) return WalshOrder::dyadic;
    if (scan_.accept("sequency")) return WalshOrder::sequency;
    if (!scan_.accept("natural")) scan_.fail_expected("'natural', 'dyadic' or 'sequency'");
    return WalshOrder::natural;
}

std::vector<Complex> Parser::complex_list() {
    std::vector<Complex> values;
    do values.push_back(scan_.complex());
    while (scan_.accept(","));
    return values;
}

std::optional<Formula> Parser::transform(std::string_view name) {
    const std::size_t position = scan_.position();
    const auto finish = [&](auto&& build) {
        scan_.expect(")");
        return built(position, build);
    };
    const bool dct = name.starts_with("DCT"), dst = name.starts_with("DST");
    if ((dct || dst) && name.size() == 4) {
        scan_.expect("(");
        const Integer n = scan_.positive_integer();
        return finish([&] { return dct ? DCT(name[3] - '0', n) : DST(name[3] - '0', n); });
    }
    if (name != "I" && name != "DFT" && name != "RDFT" && name != "WHT" && name != "DHT" && name != "J" &&
        name != "convolution" && name != "rconvolution")
        return std::nullopt;
    scan_.expect("(");
    const Integer n = scan_.positive_integer();
    if (name == "I") return finish([&] { return I(n); });
    if (name == "J") return finish([&] { return J(n); });
    if (name == "WHT") {
        const WalshOrder order = walsh_order();
        return finish([&] { return WHT(n, order); });
    }
    if (name == "DHT") return finish([&] { return DHT(n); });
    if (name == "convolution") return finish([&] { return circulant(n); });
    if (name == "rconvolution") return finish([&] { return real_circulant(n); });
    const Direction d = direction();
    return finish([&] { return name == "DFT" ? DFT(n, d) : RDFT(n, d); });
}

std::optional<Formula> Parser::leaf(std::string_view name) {
    const std::size_t position = scan_.position();
    const auto finish = [&](auto&& build) {
        scan_.expect(")");
        return built(position, build);
    };
    if (name == "F2") return F2();
    if (name == "diag") return diagonal_term();
    if (name == "L" || name == "T") {
        scan_.expect("(");
        const Integer size = scan_.positive_integer();
        scan_.expect(",");
        const Integer second = scan_.positive_integer();
        if (name == "L") return finish([&] { return L(size, second); });
        const Direction d = direction();
        return finish([&] { return T(size, second, d); });
    }
    if (name == "perm" || name == "G" || name == "S") {
        scan_.expect("(");
        const IndexMap map = index_map();
        return finish([&] {
            return name == "perm" ? permutation(map) : name == "G" ? gather(map) : scatter(map);
        });
    }
    if (name == "CZT") {
        scan_.expect("(");
        const Integer inputs = scan_.positive_integer();
        scan_.expect(",");
        const Integer outputs = scan_.positive_integer();
        scan_.expect(",");
        const long double start = scan_.fraction();
        scan_.expect(",");
        const long double step = scan_.fraction();
        return finish([&] { return CZT(inputs, outputs, start, step); });
    }
    if (name == "MDCT" || name == "IMDCT") {
        scan_.expect("(");
        const Integer n = scan_.positive_integer();
        return finish([&] { return name == "MDCT" ? MDCT(n) : IMDCT(n); });
    }
    if (name == "circulant") {
        scan_.expect("(");
        std::vector<Complex> kernel = complex_list();
        return finish([&] { return circulant(std::move(kernel)); });
    }
    if (name == "matrix") {
        scan_.expect("(");
        const Integer rows = scan_.positive_integer();
        scan_.expect(",");
        const Integer columns = scan_.positive_integer();
        scan_.expect(";");
        std::vector<Complex> entries = complex_list();
        return finish([&] { return matrix(rows, columns, std::move(entries)); });
    }
    return std::nullopt;
}

Wavelet Parser::wavelet() {
    using Family = Wavelet::Family;
    if (scan_.accept("haar")) return {Family::daubechies, 1};
    if (scan_.accept_any({"cdf5/3", "bior2.2"})) return {Family::cdf5_3};
    if (scan_.accept_any({"cdf9/7", "bior4.4"})) return {Family::cdf9_7};
    for (int moments = 1; moments <= Wavelet::most_moments; ++moments)
        if (scan_.accept(fmt::format("db{}", moments))) return {Family::daubechies, moments};
    scan_.fail_expected("a wavelet (haar, db2 … db10, cdf5/3 or cdf9/7)");
}

std::optional<Ends> Parser::ends() {
    for (const Ends ends : {Ends::zero, Ends::periodic, Ends::symmetric, Ends::reflect, Ends::jpeg2000})
        if (scan_.accept(to_text(ends))) return ends;
    return std::nullopt;
}

std::optional<Formula> Parser::filter(std::string_view name) {
    if (name != "DWT" && name != "IDWT" && name != "FIR") return std::nullopt;
    const std::size_t position = scan_.position();
    scan_.expect("(");
    const Integer n = scan_.positive_integer();
    bool transposed = false;
    const auto accept_transposed = [&] {
        if (scan_.accept(",")) scan_.expect("transposed"), transposed = true;
    };
    const auto finished = [&](auto&& build) {
        scan_.expect(")");
        const Formula term = built(position, build);
        return transposed ? transpose(term) : term;
    };
    if (name == "FIR") {
        Ends beyond = Ends::zero;
        FilterOutputs outputs = FilterOutputs::same;
        if (scan_.accept(",")) {
            if (scan_.accept("full"))
                outputs = FilterOutputs::full;
            else if (scan_.accept("valid"))
                outputs = FilterOutputs::valid;
            else if (const auto named = ends())
                beyond = *named;
            else
                scan_.fail_expected("'zero', 'periodic', 'symmetric', 'reflect', 'full' or 'valid'");
            accept_transposed();
        }
        scan_.expect(";");
        std::vector<Complex> taps = complex_list();
        return finished([&] { return FIR(n, std::move(taps), beyond, outputs); });
    }
    scan_.expect(",");
    const Wavelet of = wavelet();
    Integer levels = 1;
    Ends beyond = Ends::symmetric;
    if (scan_.accept(",")) {
        const std::size_t at_levels = scan_.position();
        levels = scan_.positive_integer();
        if (levels > std::numeric_limits<int>::max()) scan_.fail(at_levels, "so many levels have no samples");
        if (scan_.accept(",")) {
            const auto named = ends();
            if (!named) scan_.fail_expected("'zero', 'periodic', 'symmetric', 'reflect' or 'jpeg2000'");
            beyond = *named;
            accept_transposed();
        }
    }
    return finished([&] { return (name == "DWT" ? DWT : IDWT)(n, of, static_cast<int>(levels), beyond); });
}

std::optional<Formula> Parser::wrapper(std::string_view name, std::size_t position) {
    if (name == "real") {
        Formula complex = bracketed();
        return built(position, [&] { return real_of(std::move(complex)); });
    }
    constexpr std::pair<std::string_view, Tag> tags[] = {
        {"pass", Tag::pass}, {"codelet", Tag::codelet}, {"tile", Tag::tile},
        {"par", Tag::par},   {"rank", Tag::rank},       {"exchange", Tag::exchange},
    };
    const auto* const tag = std::find_if(std::begin(tags), std::end(tags),
                                         [&](const auto& named) { return named.first == name; });
    if (tag == std::end(tags)) return std::nullopt;
    if (tags_ == Tags::refused)
        scan_.fail(position,
                   fmt::format("{0}[…] says how to compute a matrix, not which one; write the term "
                               "inside {0}[…] alone: plans place pass, tile, codelet, par, rank and exchange",
                               name));
    Tagged payload{tag->second};
    if (payload.tag == Tag::par || payload.tag == Tag::rank) {
        scan_.expect("(");
        payload.parameter = payload.tag == Tag::par ? scan_.positive_integer() : scan_.integer();
        scan_.expect(")");
    }
    Formula inside = bracketed();
    return built(position, [&] {
        if (payload.tag == Tag::par) return par(payload.parameter, inside);
        if (payload.tag == Tag::rank) return on_rank(payload.parameter, inside);
        return tagged(payload.tag, inside);
    });
}

Formula Parser::iterative() {
    scan_.expect("(");
    const Variable variable = scan_.variable();
    scan_.expect("<");
    const Integer count = scan_.positive_integer();
    scan_.expect(")");
    return iterative_sum(variable, count, bracketed());
}

Formula Parser::diagonal_term() {
    const std::size_t position = scan_.position();
    scan_.expect("(");
    if (!scan_.at_letter()) {
        std::vector<Complex> values = complex_list();
        scan_.expect(")");
        return diagonal(std::move(values));
    }
    DiagonalFunction function = diagonal_function();
    scan_.expect(";");
    IndexMap index = index_map();
    scan_.expect(")");
    return built(position, [&] { return diagonal(std::move(function), std::move(index)); });
}

Digit Parser::digit() {
    scan_.expect("i");
    scan_.expect("/");
    const Integer divisor = scan_.positive_integer();
    scan_.expect("%");
    return {divisor, scan_.positive_integer()};
}

DiagonalFunction Parser::diagonal_function() {
    const auto factor = [&] { return scan_.accept("^") ? scan_.positive_integer() : Integer{1}; };
    const bool twiddle = scan_.accept("w");
    if (twiddle || scan_.accept("chirp")) {
        scan_.expect("(");
        const Integer order = scan_.positive_integer();
        const Direction d = direction();
        scan_.expect(")");
        if (!twiddle) return ChirpFunction{order, d, factor()};
        scan_.expect("^");
        scan_.expect("(");
        const Digit first = digit();
        scan_.expect("*");
        const Digit second = digit();
        scan_.expect(")");
        return TwiddleFunction{order, first, second, d, factor()};
    }
    if (scan_.accept("spectrum")) {
        scan_.expect("(");
        const Integer order = scan_.positive_integer();
        scan_.expect(")");
        scan_.expect("(");
        const Integer size = scan_.positive_integer();
        const Direction d = direction();
        scan_.expect(")");
        return ChirpSpectrumFunction{order, size, d};
    }
    if (scan_.accept("argument")) {
        if (!scan_.accept("(")) return ArgumentFunction{};
        const Integer order = scan_.positive_integer();
        scan_.expect(")");
        return ArgumentFunction{order};
    }
    const bool constant = scan_.accept("constant");
    if (!constant && !scan_.accept("list"))
        scan_.fail_expected("numbers, or one of w, chirp, spectrum, constant, list, argument");
    scan_.expect("(");
    DiagonalFunction function = ConstantFunction{0};
    if (constant)
        function = ConstantFunction{scan_.complex()};
    else
        function = ExplicitFunction{std::make_shared<const std::vector<Complex>>(complex_list())};
    scan_.expect(")");
    return function;
}

} // namespace

Formula parse(std::string_view text) { return Parser(text, 0, Parser::Tags::accepted).all(); }
ParsedPrefix parse_matrix(std::string_view text, std::size_t begin) {
    return Parser(text, begin, Parser::Tags::refused).prefix();
}

} // namespace swirl::formula
