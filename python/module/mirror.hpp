#pragma once

#include <swirl/data_type.hpp>

#include <vector>

namespace swirl::python {

/// Completes the spectrum of real data, of which the first n/2+1 entries along one axis are there: X[k] = conj(X[−k]) with
/// indices modulo the lengths.
class Mirror {
public:
    enum class Role : std::uint8_t {
        batch,       ///< indices stay
        transformed, ///< index k becomes −k
        half         ///< transformed, and half of it is there
    };
    struct Axis {
        Integer length;
        Integer stride; ///< in elements
        Role role;
    };
    /// Axes with the largest stride first.
    Mirror(DataType type, std::vector<Axis> axes) : type_(type), axes_(std::move(axes)) {}

    void complete(void* spectrum) const;

private:
    DataType type_;
    std::vector<Axis> axes_;
};

} // namespace swirl::python
