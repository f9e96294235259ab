#pragma once

#include "plan/portable/addresses.hpp"
#include "plan/transform/cpu/plan.hpp"

#include <cstddef>

namespace swirl::planning {

/// An array of a loop program in memory. Planar: its two components. Otherwise its scalars, and `second` is null, or
/// the caller stores the program's one array as two: then scalar 2k is first[k] and scalar 2k + 1 is second[k].
struct ArrayPointers {
    void* first;
    void* second;
    DataType type; ///< of the scalars
};

/// Address of one component of an entry in every iteration.
struct ComponentLocation {
    enum class In : std::uint8_t { first, second, either /**< the parity of the address says */ };
    In in;
    std::size_t form;
    Integer offset;
};

/// The address of a location's component; `split`: the caller stores the array as two.
ComponentLocation location_of(const Affine& address, const loops::Location& location, bool split,
                              AddressForms& forms);

template <class T> constexpr DataType data_type_of() {
    return sizeof(T) == 4 ? DataType::float32 : DataType::float64;
}

/// A scalar of an array of this type.
template <class T> T stored(const void* array, Integer at, DataType type);
template <class T> void store(void* array, Integer at, DataType type, T value);

/// All memory of a running kernel. T: the type of the arithmetic.
template <class T> struct PortableMemory {
    const ArrayPointers* arrays;      ///< by Memory::array
    const ArrayArgument* auxiliaries; ///< by index in the problem's arrays
    const DataType* auxiliary_types;  ///< the same

    T read(int array, const ComponentLocation& location, const LaneBases* bases, Integer lane) const {
        const auto [pointer, at] = scalar(array, location, bases, lane);
        return stored<T>(pointer, at, arrays[array].type);
    }
    void write(int array, const ComponentLocation& location, const LaneBases* bases, Integer lane,
               T value) const {
        const auto [pointer, at] = scalar(array, location, bases, lane);
        store<T>(pointer, at, arrays[array].type, value);
    }
    /// A component of an element of an auxiliary array.
    T auxiliary(std::size_t array, bool is_complex, bool imaginary, Integer index) const {
        const ArrayArgument& argument = auxiliaries[array];
        const DataType type = auxiliary_types[array];
        if (imaginary && argument.imaginary != nullptr) return stored<T>(argument.imaginary, index, type);
        const bool is_pair = is_complex && argument.imaginary == nullptr;
        return stored<T>(argument.data, is_pair ? 2 * index + imaginary : index, type);
    }

private:
    struct Scalar {
        void* pointer;
        Integer at;
    };
    Scalar scalar(int array, const ComponentLocation& location, const LaneBases* bases, Integer lane) const {
        const Integer at = bases[location.form][lane] + location.offset;
        const ArrayPointers& pointers = arrays[array];
        if (location.in == ComponentLocation::In::either)
            return {at % 2 == 0 ? pointers.first : pointers.second, floor_divide(at, Integer{2})};
        return {location.in == ComponentLocation::In::first ? pointers.first : pointers.second, at};
    }
};

} // namespace swirl::planning
