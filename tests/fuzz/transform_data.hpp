#pragma once

#include "fuzz/definition.hpp"
#include "fuzz/guarded_memory.hpp"
#include "fuzz/random.hpp"

#include <swirl/transform.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace swirl::fuzz {

enum class From : bool { input, output };

/// A problem's arrays in guarded memory, as values.
class TransformData {
public:
    /// Arrays lie at multiples of their element size; on GPUs, if `for_pairs`, of a pair's.
    TransformData(const Transform& problem, Random& random, bool for_pairs = false);

    const Transform& problem() const { return problem_; }
    /// Of one transform of the batch.
    const TransformDefinition& transform() const { return transform_; }
    std::size_t transforms() const;

    /// Elements of a side, transforms of the batch one after the other, row-major; real ones have imaginary components
    /// 0.
    Values elements(From side) const;
    /// Rounded to the problem's precision.
    void set(From side, const Values& values);

    /// Call before an execution, and after it: throws a Failure where anything else than results has changed.
    void save();
    void require_unharmed();

    /// Arrays of a side: one, or two for planar complex data.
    std::vector<GuardedMemory*> arrays(From side) const;
    std::byte* real(From side) const;
    std::byte* imaginary(From side) const; ///< null where there is no array for it

private:
    struct SideArrays {
        std::shared_ptr<GuardedMemory> real, imaginary;
        bool is_complex;
    };
    const SideArrays& arrays_of(From side) const { return side == From::input ? input_ : output_; }
    void for_each_offset(From side, const std::function<void(Integer)>& f) const;
    void allow(From side);
    bool is_planar(From side) const { return arrays_of(side).imaginary != nullptr; }

    Transform problem_;
    TransformDefinition transform_;
    Integer scalar_; ///< bytes of a scalar
    SideArrays input_, output_;
};

} // namespace swirl::fuzz
