#pragma once

#include "base/integer.hpp"

#include <optional>
#include <vector>

/// What is done to each number on its way from or to the caller's memory.
namespace swirl::lower {

/// A whole number that depends on where an entry lies: constant + Σ strides·digits of its place in a Layout.
struct PlaceForm {
    std::vector<Integer> strides;
    Integer constant = 0;
    bool operator==(const PlaceForm&) const = default;
};

/// Straight-line code over one number x, forms of its place and entries of the caller's arrays. Booleans are the reals 0 and 1.
struct Pointwise {
    enum class Op : std::uint8_t {
        number,
        x,
        form,  ///< as a real
        array, ///< element `form` of `array`
        add,
        subtract,
        multiply,
        divide,    ///< by a real
        magnitude, ///< of reals, as the next
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
        long double number = 0;
        int form = 0;
        int array = 0;
        std::vector<int> operands = {}; ///< earlier nodes
        bool operator==(const Node&) const = default;
    };
    std::vector<Node> nodes; ///< the last one is the result

    struct Condition {
        Op op; ///< of a form
        int form;
        bool operator==(const Condition&) const = default;
    };
    /// Where one does not hold, memory is not touched: what is read then is 0, before the code (of a choice whose other value
    /// is without x) or after it (`where`).
    std::vector<Condition> needed;
    std::vector<Condition> where;
    /// With conditions `needed` or `where`, the form that is an element which may be read in place of one that may not, from index
    /// 0: along axes of which all is touched it lies where the entry does.
    int safe = 0;
    std::vector<PlaceForm> forms;

    /// Of a half spectrum: the layout's entries are reals, two of each number. Numbers 0 and n/2 have no imaginary part.
    struct HalfSpectrum {
        int form; ///< that counts numbers along it
        Integer n;
        bool operator==(const HalfSpectrum&) const = default;
    };
    std::optional<HalfSpectrum> half = {};
    bool operator==(const Pointwise&) const = default;
};

} // namespace swirl::lower
