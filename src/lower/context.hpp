#pragma once

#include "ir/builder.hpp"
#include "lower/loop_program.hpp"
#include "lower/lower.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::lower {

/// The buffers of a memory. Real: entry e is scalar e of `re`, and `im` is the same buffer. Complex: scalars 2e and
/// 2e+1 of `re` if interleaved, else scalar e of `re` and of `im`.
struct Buffers {
    ir::Buffer re = -1;
    ir::Buffer im = -1;
};

/// Shared state while a loop program is emitted as IR: the program under construction, and what its variables and
/// arrays map to.
///
/// Loop programs have their own variables. Emitting a loop binds one to an affine form of IR variables (a block index
/// and a lane, say); `placed` rewrites addresses accordingly. A variable may be bound several times, once for the full
/// vectors and once for the remainder.
class Context {
public:
    /// `in_pairs`: complex temporaries are interleaved.
    Context(const KernelRequest& kernel, const LoopProgram& program, bool in_pairs = false);

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

    /// Emits `body` inside a loop that binds `loop.variable`; a loop of one iteration binds it to 0.
    template <class Body>
    void in_loop(const Loop& loop, std::string_view name, ir::For::Kind kind, Body&& body) {
        const bool repeats = loop.count > 1;
        bind(loop.variable, repeats ? builder.open_loop(fresh(name), 0, loop.count, 1, kind) : Affine(0));
        open_loops_.push_back(loop);
        body();
        open_loops_.pop_back();
        if (repeats) builder.close_loop();
    }
    /// Includes loops of one iteration, so that forms of their variables stay known.
    const std::vector<Loop>& open_loops() const { return open_loops_; }

    /// Kind for loops that start here and are not unrolled: parallel if no loop is open, or if all open loops are
    /// parallel and contain nothing else. Loops of a loop program's nests and calls are independent by definition.
    ir::For::Kind loop_kind() const { return outermost_ ? ir::For::Kind::parallel : ir::For::Kind::serial; }
    /// Emits the body of a nest; `is_alone` says whether the body is a single node.
    template <class Body> void in_nest(const Loop& loop, bool is_alone, Body&& body) {
        const bool outermost = std::exchange(outermost_, outermost_ && (is_alone || loop.count == 1));
        const ir::For::Kind kind = outermost ? ir::For::Kind::parallel : ir::For::Kind::serial;
        in_loop(loop, "b", kind, std::forward<Body>(body));
        outermost_ = outermost;
    }
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
    /// In a buffer of its own, named w0, w1, … (index tables: p0, p1, …); if there are many tables, the last ones
    /// share a buffer.
    TableLocation add_table(ir::Table contents);

    /// On a CPU: the table 0, step, 2·step, … with as many entries as a vector register has lanes.
    TableLocation multiples_of(Integer step);

    /// A vector with these lanes, loaded from the table of all vector constants.
    ir::Value vector_constant(std::vector<long double> lanes);

    ir::Program finish();

private:
    Buffers add_argument(int array);
    Buffers add_scratch(int array);
    bool is_non_temporal(const Array& array) const;

    bool in_pairs_;
    std::vector<Affine> copies_; ///< by array

    std::vector<Affine> bindings_;
    std::vector<Loop> open_loops_;
    bool outermost_ = true;        ///< the open loops contain nothing but what is emitted next
    std::vector<Buffers> buffers_; ///< by array
    int next_name_ = 0;
    int tables_ = 0;
    /// A buffer shared by several tables; its contents are set at the end.
    struct SharedTable {
        ir::Buffer buffer;
        Integer entries = 0;
        std::vector<std::pair<Integer, ir::Table>> parts; ///< tables with their offsets
    };
    std::map<DataType, SharedTable> shared_tables_;
    std::vector<std::optional<ir::Buffer>> auxiliary_buffers_;
    std::map<Integer, TableLocation> multiples_; ///< by step
    std::optional<ir::Buffer> vector_table_;
    std::vector<long double> vector_constants_;
    std::map<std::vector<long double>, Integer> vector_constant_offsets_;
};

} // namespace swirl::lower
