#pragma once

#include "base/integer.hpp"
#include "loops/layout.hpp"

#include <optional>
#include <vector>

/// Load and store callbacks: code applied to each element read from or written to the caller's memory.
namespace swirl::loops {

/// Straight-line code over an element x, forms of its location and elements of the caller's arrays. Booleans are the
/// reals 0 and 1.
struct Pointwise {
    enum class Op : std::uint8_t {
        constant,
        x,
        form,  ///< as a real
        array, ///< element `form` of `array`
        add,
        subtract,
        multiply,
        divide,    ///< divisor is real
        magnitude, ///< of reals, like the following
        square_root,
        exponential,
        tangent,
        sigmoid,
        gelu,
        negate,
        conj,
        re,
        im,
        complex,
        less,
        less_equal,
        equal,
        form_negative, ///< form < 0 and so on
        form_nonnegative,
        form_zero,
        both,
        either,
        opposite,
        choose,
    };
    struct Node {
        Op op;
        long double constant = 0;
        int form = 0;
        int array = 0;
        std::vector<int> operands = {}; ///< earlier nodes
        bool operator==(const Node&) const = default;
    };
    std::vector<Node> nodes; ///< the last one is the result

    struct Condition {
        Op op; ///< on a form
        int form;
        bool operator==(const Condition&) const = default;
    };
    /// If a condition fails, memory is not accessed: the value read is 0, before the code (`needed`: the value of a
    /// select that does not use x) or after it (`where`).
    std::vector<Condition> needed;
    std::vector<Condition> where;
    /// With `needed` or `where`: the form of an element that is safe to read in place of a suppressed one, relative to
    /// index 0. Along axes that are accessed completely it equals the entry's own index.
    int safe = 0;
    std::vector<LayoutForm> forms;

    /// For a half spectrum: the layout's entries are reals, two per element. Elements 0 and n/2 have no imaginary
    /// component.
    struct HalfSpectrum {
        int form; ///< element index along the half spectrum
        Integer n;
        bool operator==(const HalfSpectrum&) const = default;
    };
    std::optional<HalfSpectrum> half = {};
    bool operator==(const Pointwise&) const = default;
};

} // namespace swirl::loops
