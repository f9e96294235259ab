#pragma once

#include "plan/transform/cpu/plan.hpp"

#include <cstddef>
#include <cstdint>

namespace swirl::planning {

/// The pointer of a call that a kernel's buffer is bound to.
struct Binding {
    enum class Source : std::uint8_t {
        input,
        input_imaginary,
        output,
        output_imaginary,
        intermediate,
        workspace,
        nest_workspace, ///< of the thread, or of all in repeated phases; its contents do not outlive a repetition
        own_workspace, ///< of the thread; its contents do not outlive an iteration
        table,
        unused, ///< not accessed by any operation
        arrays, ///< the first auxiliary array; two per array: see array_source
    };
    static constexpr std::size_t max_arrays = 8;
    static constexpr std::size_t sources = static_cast<std::size_t>(Source::arrays) + 2 * max_arrays;
    /// The auxiliary array with this index, or the imaginary components of a planar one.
    static constexpr Source array_source(std::size_t array, bool imaginary) {
        return static_cast<Source>(static_cast<std::size_t>(Source::arrays) + 2 * array + imaginary);
    }
    Source source;
    std::size_t offset = 0;      ///< bytes into either workspace
    const void* table = nullptr; ///< the table itself
};

/// The auxiliary array that array_source names, of a call's.
inline void* array_of(Binding::Source source, const ArrayArgument* arrays) {
    const std::size_t at =
        static_cast<std::size_t>(source) - static_cast<std::size_t>(Binding::Source::arrays);
    const ArrayArgument& array = arrays[at / 2];
    return const_cast<void*>(at % 2 == 0 ? array.data : array.imaginary);
}

} // namespace swirl::planning
