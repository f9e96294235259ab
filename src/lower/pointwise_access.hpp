#pragma once

#include "loops/loop_program.hpp"
#include "lower/cpu/guarded_elements.hpp"
#include "lower/emit_pointwise.hpp"

#include <optional>
#include <vector>

/// Elements of the caller at a call's locations, with the callback for each.
namespace swirl::lower {

/// An element in memory, and the entries of a call that are its components.
struct ElementAccess {
    /// The real or imaginary component of a location.
    struct Component {
        std::size_t place;
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

/// Reads elements through the load callback, or writes them through the store callback.
class PointwiseAccess {
public:
    PointwiseAccess(Context& context, const Memory& memory, const std::vector<Location>& locations,
                    bool complex, const std::optional<Pointwise>& pointwise, const std::vector<Loop>& loops,
                    bool loading, const std::optional<VectorLoop>& lane);

    /// On a CPU, around the body for `count` iterations of the lane loop from `first` on.
    void before(const Affine& first, Integer count);
    void after(const Affine& first, Integer count);

    /// In the body, `lane` is the lane loop's variable, or 0.
    void set_lane(const Affine& lane);
    std::vector<Scaled> load(); ///< the call's sources
    void store(const std::vector<Scaled>& targets, Arithmetic& arithmetic);

private:
    using Component = PointwiseEmitter::Component;
    using ComplexValue = PointwiseEmitter::ComplexValue;
    using Touch = PointwiseEmitter::Touch;

    ComplexValue loaded(std::size_t index);
    ComplexValue guarded(std::size_t position);
    void store(std::size_t index, const ComplexValue& value);
    Integer scalars_of_element() const;

    Context& context_;
    const Memory memory_;
    const Buffers buffers_;
    const std::vector<Location>& locations_;
    const std::optional<Pointwise>& pointwise_;
    std::vector<ElementAccess> numbers_;
    std::vector<Location> element_locations_; ///< of the elements
    IndexTables tables_;
    PointwiseEmitter emitter_;
    bool loading_;
    std::optional<GuardedElements> guarded_; ///< on a CPU
    Affine lane_ = 0;
};

} // namespace swirl::lower
