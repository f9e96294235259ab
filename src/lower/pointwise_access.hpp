#pragma once

#include "loops/gpu/regions.hpp"
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
bool is_real_element(const ElementAccess& number, const Pointwise::HalfSpectrum& half,
                     const Extents& extents);

/// Whether the calls that access a half spectrum suit its callbacks: they know the component of each real, and write
/// both components of an element in one iteration.
bool has_complete_elements(const KernelRegions& parts, const std::optional<Pointwise>& load,
                           const std::optional<Pointwise>& store);

/// Reads elements through the load callback, or writes them through the store callback.
class PointwiseAccess {
public:
    PointwiseAccess(Context& context, const Memory& memory, const std::vector<Location>& locations,
                    bool complex, const std::optional<Pointwise>& pointwise, const std::vector<Loop>& loops);

    std::vector<Scaled> load(); ///< the call's sources
    void store(const std::vector<Scaled>& targets, Arithmetic& arithmetic);

private:
    using Component = PointwiseEmitter::Component;
    using ComplexValue = PointwiseEmitter::ComplexValue;
    using Touch = PointwiseEmitter::Touch;

    ComplexValue loaded(std::size_t number);
    ComplexValue guarded(std::size_t number);
    void store(std::size_t number, const ComplexValue& value);
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
};

} // namespace swirl::lower
