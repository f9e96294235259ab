#pragma once

#include "plan/transform/cpu/binding.hpp"
#include "plan/transform/cpu/bound_call.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace swirl::planning {

/// A call of one function on the caller's arrays, tables and a small workspace. Everything that is the same for all calls
/// is precomputed.
class DirectCall {
public:
    static constexpr std::size_t max_buffers = BoundCall::max_buffers;
    static constexpr std::size_t max_workspace = 8192; ///< bytes, taken from the stack
    using Buffers = BoundCall::Buffers;

    /// A buffer that is the caller's, beside `input` and `output`.
    struct Further {
        std::uint8_t buffer = 0;
        Binding::Source source = Binding::Source::unused; ///< imaginary components, or an auxiliary array
    };

    struct Layout {
        Buffers buffers{};      ///< in the function's order: tables are set here, the others at each call
        std::uint8_t input = 0; ///< index of the input buffer; of the output if that is the only argument
        std::uint8_t output = 0;
        std::uint8_t scratch = 0; ///< number of buffers in workspace
        std::array<std::uint8_t, max_buffers> scratch_index{};
        std::array<std::uint16_t, max_buffers> scratch_offset{}; ///< bytes
        std::uint8_t further_count = 0;
        std::array<Further, max_buffers> further{}; ///< the first further_count of them

        /// Whether all buffers are among the first `count`.
        bool has_only(std::size_t count) const {
            return std::all_of(buffers.begin() + static_cast<std::ptrdiff_t>(count), buffers.end(),
                               [](const void* buffer) { return buffer == nullptr; });
        }
    };

    DirectCall() = default; ///< no function to call
    DirectCall(runtime::KernelFunction function, const Layout& layout)
        : function_(function),
          needs_more_(layout.scratch > 0 || layout.further_count > 0),
          is_short_(!needs_more_ && layout.input == 0 && layout.output == 1 &&
                    layout.has_only(short_buffers)),
          is_short_in_place_(!needs_more_ && layout.input == 0 && layout.output == 0 &&
                             layout.has_only(short_buffers)),
          layout_(layout) {}

    explicit operator bool() const { return function_ != nullptr; }
    /// Arguments must have been checked.
    void operator()(const Arguments& arguments) const {
        if (needs_more_) return call_with_more(arguments);
        call_on(arguments.input, arguments.output);
    }
    /// The same where the caller has no other arrays.
    void operator()(const void* input, void* output) const {
        if (!is_short_) return call_longer(input, output);
        void* const buffers[short_buffers] = {const_cast<void*>(input), output, layout_.buffers[2],
                                              layout_.buffers[3]};
        function_(buffers, nullptr);
    }

    /// The call with these arguments, unless the function needs a workspace. They must have been checked.
    std::optional<BoundCall> bound(const Arguments& arguments) const;

private:
    void set_ends(Buffers& buffers, const void* input, void* output) const {
        buffers[layout_.input] = const_cast<void*>(input);
        buffers[layout_.output] = output;
    }
    void set_further(Buffers& buffers, const Arguments& arguments) const;
    void call_on(const void* input, void* output) const {
        Buffers buffers = layout_.buffers;
        set_ends(buffers, input, output);
        function_(buffers.data(), nullptr);
    }
    void call_longer(const void* input, void* output) const {
        if (!is_short_in_place_)
            return needs_more_ ? call_with_workspace(input, output) : call_on(input, output);
        void* const buffers[short_buffers] = {output, layout_.buffers[1], layout_.buffers[2],
                                              layout_.buffers[3]};
        function_(buffers, nullptr);
    }
    void call_with_workspace(const void* input, void* output) const;
    /// With a workspace, and with arrays beside input and output.
    void call_with_more(const Arguments& arguments) const;

    /// Of calls that set no others: input, output and two tables, or one array and three tables.
    static constexpr std::size_t short_buffers = 4;

    runtime::KernelFunction function_ = nullptr;
    bool needs_more_ = false;        ///< than input, output and tables
    bool is_short_ = false;          ///< input and output come first, and short_buffers are all
    bool is_short_in_place_ = false; ///< the only argument comes first, and short_buffers are all
    Layout layout_;
};

} // namespace swirl::planning
