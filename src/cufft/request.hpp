#pragma once

#include <swirl/transform.hpp>

#include "cufft/abi.hpp"
#include "cufft/refusal.hpp"

#include <optional>
#include <vector>

namespace swirl::cufft {

/// What a plan transforms: complex data, reals to half spectra, or back.
struct Kind {
    enum class Sides : unsigned char { complex, real_to_complex, complex_to_real };
    Sides sides;
    DataType precision;
    friend bool operator==(const Kind&, const Kind&) = default;
};
/// Throw Refusal for what is no type, and for a pair of types that no transform has.
Kind kind_of(Type type);
Kind kind_of(ElementType input, ElementType output, ElementType arithmetic);

/// One side of the advanced data layout. Element (b, x, y, z) is at b·distance + ((x·embedding[1] + y)·embedding[2] + z)·stride;
/// embedding[0] has no meaning.
struct SideLayout {
    std::vector<Integer> embedding;
    Integer stride;
    Integer distance;
};

/// A call of cufftMakePlan…: valid lengths, in whatever layout.
struct Request {
    Kind kind;
    std::vector<Integer> lengths;
    Integer batch;
    struct Layout {
        SideLayout input;
        SideLayout output;
    };
    std::optional<Layout>
        layout; ///< none: contiguous, where the plan runs in place with rows of reals padded to whole spectra
};

/// A side as arguments give it.
template <class Int> struct SideArguments {
    const Int* embedding;
    Int stride;
    Int distance;
};
/// Throws Refusal. Without the embedding of either side the layout is the default one, and strides and distances mean nothing.
template <class Int>
Request request(Kind kind, int rank, const Int* lengths, const SideArguments<Int>& input,
                const SideArguments<Int>& output, Int batch);
extern template Request request(Kind, int, const int*, const SideArguments<int>&, const SideArguments<int>&,
                                int);
extern template Request request(Kind, int, const Long*, const SideArguments<Long>&,
                                const SideArguments<Long>&, Long);

/// Directions in which a plan of this kind runs.
std::vector<Direction> directions_of(Kind kind);

/// The transform that an execution computes. Throws UserError for a layout that cannot be.
Transform transform_of(const Request& request, Direction direction, Placement placement);

} // namespace swirl::cufft
