#pragma once

#include "loops/loop_program.hpp"
#include "loops/pointwise.hpp"
#include "loops/request.hpp"

#include <optional>
#include <vector>

/// What callbacks require of the calls that access the caller's memory.
namespace swirl::loops {

/// An element in memory, and the entries of a call that are its components.
struct ElementAccess {
    /// The real or imaginary component of a location.
    struct Component {
        std::size_t position;
        bool imaginary;
    };
    Location location; ///< of its real component, with one list of forms
    bool whole = true; ///< the element is complex
    std::optional<Component> re;
    std::optional<Component> im;
};

/// The elements behind locations that are elements or components. Nothing if reals of a half spectrum do not determine
/// which component they are.
std::optional<std::vector<ElementAccess>> element_accesses(const std::vector<Location>& locations,
                                                           bool complex,
                                                           const std::optional<Pointwise>& pointwise);

/// Whether the element, in all iterations, is one of a half spectrum without imaginary component.
bool is_real_element(const ElementAccess& element, const Pointwise::HalfSpectrum& half,
                     const Extents& extents);

/// Whether a call that accesses a half spectrum suits its callbacks: it knows the component of each real, and writes
/// both components of an element in one iteration.
bool has_complete_elements(const Call& call, const Extents& extents, const std::optional<Pointwise>& load,
                           const std::optional<Pointwise>& store);

/// Whether lanes of the loop can hold the forms that the callback computes with, as reals.
bool are_exact_in_lanes(const Pointwise& pointwise, const std::vector<Location>& locations,
                        const Extents& extents, DataType scalar);

/// Whether all calls suit the request's callbacks: see has_complete_elements; entries found through index tables have
/// no callback.
bool suits_callbacks(const LoopProgram& program, const Request& request);

/// The request in the forms to try until one suits its callbacks, preferred ones first: with each formula, then with
/// copies at its ends. The request alone if it has no callbacks.
std::vector<Request> variants_for_callbacks(const Request& request);

/// Takes the tag vec from loops whose lanes could not hold the forms that callbacks compute with.
void remove_inexact_vector_tags(LoopProgram& program, const Request& request);

} // namespace swirl::loops
