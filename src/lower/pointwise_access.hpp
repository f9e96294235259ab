#pragma once

#include "loops/callbacks.hpp"
#include "loops/loop_program.hpp"
#include "lower/cpu/guarded_elements.hpp"
#include "lower/emit_pointwise.hpp"

#include <optional>
#include <vector>

/// Elements of the caller at a call's locations, with the callback for each.
namespace swirl::lower {

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
    std::vector<ElementAccess> accesses_;
    std::vector<Location> element_locations_; ///< of the elements
    IndexTables tables_;
    PointwiseEmitter emitter_;
    bool loading_;
    std::optional<GuardedElements> guarded_; ///< on a CPU
    Affine lane_ = 0;
};

} // namespace swirl::lower
