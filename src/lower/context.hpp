#pragma once

#include "ir/builder.hpp"
#include "loops/loop_program.hpp"
#include "lower/lower.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::lower {

/// The ir's kind of a loop with this tag.
ir::For::Kind kind_of(LoopTag tag);

/// The buffers of a memory. Real: entry e is scalar e of `re`, and `im` is the same buffer. Complex: scalars 2e and
/// 2e+1 of `re` if interleaved, else scalar e of `re` and of `im`.
struct Buffers {
    ir::Buffer re = -1;
    ir::Buffer im = -1;
};

/// What a table of twiddles holds, whatever the variables of its loops.
struct TwiddleTableContents {
    std::vector<Integer> shape; ///< of the loops and of an element
    struct Factor {
        formula::Diagonal diagonal;
        Affine index; ///< of the loops' positions
        bool operator==(const Factor&) const = default;
    };
    struct Entry {
        formula::Complex constant;
        std::vector<Factor> factors;
        bool operator==(const Entry&) const = default;
    };
    std::vector<Entry> entries;
    bool operator==(const TwiddleTableContents&) const = default;
};

/// Shared state while a loop program is emitted as IR: the program under construction, and what its variables and
/// arrays map to.
///
/// Loop programs have their own variables. Emitting a loop binds one to an affine form of IR variables (a block index
/// and a lane, say); `placed` rewrites addresses accordingly. A variable may be bound several times, once for the full
/// vectors and once for the remainder.
class Context {
public:
    Context(const KernelRequest& kernel, const LoopProgram& program);

    const KernelRequest& request;
    ir::Builder builder;
    const LoopProgram& loops;
    const Extents& extents() const { return loops.extents; }

    void bind(Variable variable, Affine program_form);
    Affine placed(const Affine& form) const;
    /// An address in a memory; for a temporary, in the copy that `choose_copy` selected.
    Affine placed(const Memory& memory, const Affine& form) const;
    /// Selects a copy of an array for all later addresses; `copy` is a form of the program's variables.
    void choose_copy(int array, Affine copy);
    /// Declares loops that the caller opens around everything emitted.
    void assume_loops(const std::vector<Loop>& around) { open_loops_ = around; }

    /// Emits `body` inside a loop, as tagged, that binds `loop.variable`; a loop of one iteration binds it to 0.
    template <class Body> void in_loop(const Loop& loop, std::string_view name, Body&& body) {
        const bool repeats = loop.count > 1;
        bind(loop.variable,
             repeats ? builder.open_loop(fresh(name), 0, loop.count, 1, kind_of(loop.tag)) : Affine(0));
        open_loops_.push_back(loop);
        body();
        open_loops_.pop_back();
        if (repeats) builder.close_loop();
    }
    /// Includes loops of one iteration, so that forms of their variables stay known.
    const std::vector<Loop>& open_loops() const { return open_loops_; }

    std::string fresh(std::string_view name) { return fmt::format("{}{}", name, next_name_++); }

    Buffers buffers_of(const Memory& memory) const {
        return buffers_[static_cast<std::size_t>(memory.array)];
    }

    /// The buffer of one of the request's auxiliary arrays.
    ir::Buffer auxiliary_buffer(std::size_t array);

    /// Address of a table's entries.
    struct TableLocation {
        ir::Buffer buffer;
        Integer first;
    };
    /// In a buffer of its own; if there are many tables, the last ones share a buffer, unless they are large.
    TableLocation add_table(ir::TableKind kind, ir::Table contents);
    /// A table of twiddles that is made unless there is one with the same contents.
    TableLocation shared_table(TwiddleTableContents contents, const std::function<ir::Table()>& make);
    static constexpr Integer least_large_table = Integer{1} << 20; ///< elements

    /// On a CPU: the table 0, stride, 2·stride, … with as many entries as a vector register has lanes.
    TableLocation multiples_of(Integer stride);

    /// A vector with these lanes, loaded from the table of all vector constants.
    ir::Value vector_constant(std::vector<long double> lanes);

    ir::Program finish();

private:
    Buffers add_argument(int array);
    Buffers add_scratch(int array);
    bool is_non_temporal(const Array& array) const;
    bool stays_in_shared_cache(const Array& array) const;

    std::vector<Affine> copies_; ///< by array

    std::vector<Affine> bindings_;
    std::vector<Loop> open_loops_;
    std::vector<Buffers> buffers_; ///< by array
    int next_name_ = 0;
    int next_table(ir::TableKind kind) { return next_of_kind_[static_cast<std::size_t>(kind)]++; }
    int tables_ = 0;
    std::array<int, static_cast<std::size_t>(ir::TableKind::joined) + 1> next_of_kind_{};
    /// A buffer shared by several tables; its contents are set at the end.
    struct SharedTable {
        ir::Buffer buffer;
        Integer entries = 0;
        std::vector<std::pair<Integer, ir::Table>> tables; ///< with their offsets
    };
    std::map<DataType, SharedTable> shared_tables_;
    int large_tables_ = 0; ///< in buffers of their own beyond `most_separate_tables`
    std::vector<std::pair<TwiddleTableContents, TableLocation>> twiddle_tables_;
    std::vector<std::optional<ir::Buffer>> auxiliary_buffers_;
    std::map<Integer, TableLocation> multiples_; ///< by stride
    std::optional<ir::Buffer> vector_table_;
    std::vector<long double> vector_constants_;
    std::map<std::vector<long double>, Integer> vector_constant_offsets_;
};

} // namespace swirl::lower
