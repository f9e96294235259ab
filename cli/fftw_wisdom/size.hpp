#pragma once

#include "cli/fftw_wisdom/interface.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::cli {

/// A transform to plan, which a word such as "cif12x13x14" describes (fftw-wisdom(1), "Specifying sizes"): the type, c
/// (complex), r (real to complex, or back) or k (real to real); i (in place) or o (out of place); except for k, f
/// (forward) or b (backward); the lengths. For k, a kind follows each length: "ki10hx20e01".
struct Size {
    enum class Type : char { complex = 'c', real = 'r', real_to_real = 'k' };

    Type type = Type::complex;
    bool in_place = false;
    bool forward = true;                    ///< of complex and real
    std::vector<int> lengths;               ///< slowest first
    std::vector<FFTW(r2r_kind)> kinds = {}; ///< of real_to_real, one for each length

    double elements() const; ///< the product of the lengths
    friend bool operator==(const Size&, const Size&) = default;
};

/// Throws UserError, which quotes the word.
Size parse_size(std::string_view text);
std::string to_text(const Size& size);

/// All powers of two and of ten up to 2^20: complex and real, in place and out of place, forward and backward, of one,
/// two and three equal dimensions.
std::vector<Size> canonical_sizes();

} // namespace swirl::cli
