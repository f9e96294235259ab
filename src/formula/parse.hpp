#pragma once

#include "formula/formula.hpp"

#include <string_view>

namespace swirl::formula {

/// Parses the output of to_text; white space is free.
///
///   operators   ⊕ loosest, then ·, then ⊗ (ASCII: (+) or + for ⊕, * for ·, (x) or @ for ⊗)
///   transforms  DFT(n) DFT(n, backward) RDFT(n) RDFT(n, backward) WHT(n) WHT(n, dyadic) WHT(n, sequency) DCT1(n)…DCT8(n) DST1(n)…DST8(n) DHT(n)
///               MDCT(n) IMDCT(n) CZT(inputs, outputs, start, step)
///   filters     DWT(n, wavelet, levels, ends) IDWT(…); FIR(n; taps) FIR(n, ends; taps) FIR(n, full; taps) FIR(n, valid; taps);
///               with `, transposed` after the ends their transposes. wavelet: haar db2…db10 cdf5/3 cdf9/7; levels and ends
///               may be left out; ends: zero periodic symmetric reflect jpeg2000
///               circulant(values)
///   matrices    I(n) F2 matrix(rows, columns; values) diag(values) diag(function; map) T(mn, n) T(mn, n, backward)
///   data moves  L(mn, m) J(n) perm(map) G(map) S(map)
///   enclosing   Σ(i0 < n)[term] (ASCII: sum) real[term] pass[term] tile[term] codelet[term] par(p)[term] rank(r)[term]
///               exchange[term]
///   functions   w(order)^(i/d%r * i/d%r) chirp(order) constant(value) list(values); w(order, backward) and so on
///   maps        id(n) h(domain → range; base, stride) digits(radix:stride, …; base b; mod m; range n)
///               power(generator mod prime; domain → range) table(values; range n) (ASCII: ->)
///   sizes       1024 2^10
///   values      1.5 -2i 1-2i, without spaces; a base is an affine form such as 3 + 8*i0 - i1
///
/// Throws ParseError.
Formula parse(std::string_view text);

/// A formula at the front of a longer text: it ends where no operator follows.
struct ParsedPrefix {
    Formula formula;
    std::size_t end; ///< position after it and the white space that follows, in bytes
};
/// Parses from `begin` on a formula that says which matrix is meant: pass, tile and codelet, which say how to compute
/// it, are refused. Throws ParseError with a position in the whole text.
ParsedPrefix parse_matrix(std::string_view text, std::size_t begin);

} // namespace swirl::formula
