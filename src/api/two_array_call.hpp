#pragma once

#include "api/arguments.hpp"
#include "plan/transform/cpu/pointer_call.hpp"

#include <cstddef>
#include <cstdint>

namespace swirl::api {

/// Executions of a transform from one array to another, if a glance shows that the arrays fit.
class TwoArrayCall {
public:
    TwoArrayCall() = default; ///< runs nothing
    TwoArrayCall(const ArraySignature& input, const ArraySignature& output, const planning::PointerCall& call)
        : input_(input), output_(output), call_(call) {}

    /// An array: its address, elements from there on, and the code of their type.
    template <class Pointer> struct Array {
        Pointer data;
        std::size_t elements;
        std::uint32_t type;
    };
    /// Executes the transform, or returns false: a closer look will say whether something is wrong.
    bool run(const Array<const void*>& input, const Array<void*>& output) const {
        return input_.admits(input.elements, input.type) && output_.admits(output.elements, output.type) &&
               call_.run(input.data, output.data);
    }
    bool run(const void* input, void* output) const { return call_.run(input, output); }

private:
    struct Wanted {
        Wanted() = default;
        explicit Wanted(const ArraySignature& array)
            : elements(array.extent.lowest < 0 ? detail::ArrayArgument::unknown
                                               : static_cast<std::size_t>(array.extent.highest + 1)),
              type(array.type.code()) {}
        /// Of an unknown type only arrays of unknown extent: elements are counted in the type's.
        bool admits(std::size_t given, std::uint32_t given_type) const {
            return given_type == type ? given >= elements
                                      : given_type == 0 && given == detail::ArrayArgument::unknown;
        }
        std::size_t elements = 0;
        std::uint32_t type = 0;
    };
    Wanted input_, output_;
    planning::PointerCall call_;
};

} // namespace swirl::api
