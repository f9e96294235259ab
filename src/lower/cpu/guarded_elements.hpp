#pragma once

#include "loops/vector_loop.hpp"
#include "lower/emit_pointwise.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// On a CPU: a call's elements of the caller's memory that are accessed only where conditions on indices hold. They
/// pass through scratch memory, as many iterations at once as a vector register has lanes: where the conditions hold
/// in all of these, a vector moves them, else one element at a time.
class GuardedElements {
public:
    using ComplexValue = PointwiseEmitter::ComplexValue;
    /// Elements that the call accesses, or leaves to others.
    enum class Access : std::uint8_t { none, real, complex };
    /// Element k is at `locations[k]`.
    GuardedElements(Context& context, const Memory& memory, const std::vector<Location>& locations,
                    std::vector<Access> accesses, PointwiseEmitter& emitter, bool loading,
                    const std::optional<VectorLoop>& lane);

    bool is_guarded(std::size_t element) const { return slots_[element].has_value(); }

    /// In the body: the element in scratch memory, in this lane. A load gives 0 where the conditions fail.
    ComplexValue load(std::size_t element, const Affine& lane);
    void store(std::size_t element, const ComplexValue& value, const Affine& lane);

    /// Before and after the body, for `count` iterations of the lane loop from `first` on.
    void read(const Affine& first, Integer count);
    void write(const Affine& first, Integer count);

private:
    void move(const Affine& first, Integer count);
    void move(std::size_t element, const Affine& first, Integer count);
    /// The conditions that hold in all lanes if these do; nothing if they never do.
    std::optional<std::vector<ir::Condition>> conditions_of_all(std::size_t element, const Affine& first,
                                                                Integer count);
    void bind(const Affine& iteration);
    void move_lane(std::size_t element, const Affine& lane);
    void clear_lane(std::size_t element, const Affine& lane);
    bool is_complex(std::size_t element) const { return accesses_[element] == Access::complex; }
    Affine staged(std::size_t element, bool imaginary, const Affine& lane) const;
    template <class Body> void in_lanes(const Affine& first, Integer count, ir::For::Kind kind, Body&& body);

    Context& context_;
    const Memory memory_;
    const Buffers buffers_;
    const std::vector<Location>& locations_;
    std::vector<Access> accesses_;
    PointwiseEmitter& emitter_;
    bool loading_;
    std::optional<Variable> lane_;
    Integer lanes_;
    std::vector<std::optional<Integer>> slots_; ///< by element, for those that are guarded
    ir::Buffer scratch_ = -1;
};

} // namespace swirl::lower
