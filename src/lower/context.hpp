#pragma once

#include "ir/builder.hpp"
#include "lower/endpoint.hpp"
#include "lower/lower.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::lower {

/// A loop around a codelet whose iterations are independent; not yet emitted.
struct Loop {
    Variable variable;
    Integer count;
};

/// What one lowering run shares: the program under construction, variables and their extents, temporaries.
///
/// Lowering has variables of its own. Emitting a loop binds one to an affine form of program variables (a block
/// index and a lane, say); `placed` rewrites addresses accordingly. One variable may be bound several times, once
/// for the full vectors and once for the ragged end.
class Context {
public:
    explicit Context(const KernelRequest& kernel) : request(kernel), builder(kernel.name, {.share = true}) {}

    const KernelRequest& request;
    ir::Builder builder;
    Extents extents;

    Variable new_variable(Integer extent) {
        extents.set(next_variable_, extent);
        return next_variable_++;
    }
    void bind(Variable variable, Affine program_form);
    Affine placed(const Affine& form) const;

    /// Emits `body` inside a loop that binds `loop.variable`; a loop of one iteration binds it to 0.
    template <class Body>
    void in_loop(const Loop& loop, std::string_view name, ir::For::Kind kind, Body&& body) {
        if (loop.count == 1) {
            bind(loop.variable, 0);
            return body();
        }
        bind(loop.variable, builder.open_loop(fresh(name), 0, loop.count, 1, kind));
        open_loops_.push_back(loop);
        body();
        open_loops_.pop_back();
        builder.close_loop();
    }
    const std::vector<Loop>& open_loops() const { return open_loops_; }
    std::string fresh(std::string_view name) { return fmt::format("{}{}", name, next_name_++); }

    /// Scratch for `elements` entries; planar when complex. Once released it serves again.
    Memory acquire(Integer elements, bool complex);
    void release(const Memory& memory);

    ir::Buffer add_table(std::vector<long double> data);
    ir::Buffer add_table(std::vector<Integer> data);

    ir::Program finish();

private:
    struct Temporary {
        Memory memory;
        Integer elements;
        bool in_use;
    };

    std::vector<Affine> bindings_;
    std::vector<Loop> open_loops_;
    std::vector<Temporary> temporaries_;
    Variable next_variable_ = 0;
    int next_name_ = 0;
    int tables_ = 0;
};

} // namespace swirl::lower
