#pragma once

#include "loops/loop_program.hpp"

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

namespace swirl::loops {

/// Builds a LoopProgram.
class Recorder {
public:
    /// For a GPU, released temporaries are not reused, and codelets may use index tables where necessary.
    explicit Recorder(bool for_gpu = false) : for_gpu_(for_gpu) {}

    bool for_gpu() const { return for_gpu_; }

    Extents& extents() { return program_.extents; }

    Variable new_variable(Integer extent) {
        program_.extents.set(next_variable_, extent);
        return next_variable_++;
    }

    Memory add_argument(const Array& array);

    /// Nests what `body` records inside a loop.
    template <class Body> void nest(const Loop& loop, Body&& body) {
        Nodes outside = std::exchange(program_.body, {});
        const int depth = std::exchange(nest_depth_, nest_depth_ + (loop.count > 1));
        body();
        nest_depth_ = depth;
        outside.push_back({Nest{loop, std::move(program_.body)}});
        program_.body = std::move(outside);
    }
    void add(Call call) { program_.body.emplace_back().node = std::move(call); }

    /// Marks what `body` records as a factor of a product, whose factors pass temporaries inside the loops that they
    /// share.
    template <class Body> void within_product(Body&& body) {
        const bool outside = std::exchange(within_product_, true);
        body();
        within_product_ = outside;
    }
    bool is_within_product() const { return within_product_; }

    /// A temporary of `elements` entries; planar if complex. It may be reused once released; temporaries in different
    /// numbers of nested loops are kept separate: threads share some and have others each.
    Memory acquire(Integer elements, bool complex);
    void release(const Memory& memory);
    Integer elements(const Memory& memory) const { return array(memory).elements; }
    const Array& array(const Memory& memory) const {
        return program_.arrays[static_cast<std::size_t>(memory.array)];
    }

    LoopProgram finish() { return std::move(program_); }

private:
    LoopProgram program_;
    std::vector<bool> in_use_; ///< by array
    int nest_depth_ = 0;       ///< enclosing loops of several iterations
    bool within_product_ = false;
    bool for_gpu_;
    Variable next_variable_ = 0;
};

/// The lowest and highest element of a layout.
Reach reach_of(const Layout& layout);

/// Adds the argument that spans all of these elements, complex or real; see Array for `split_complex`.
Memory add_argument(Recorder& recorder, Array::Role role, bool complex, bool split_complex,
                    std::initializer_list<Reach> reaches);

/// Records  out = codelet(in)  for every iteration of `loops`. Index maps that are not affine in the loops are handled
/// separately, by `add_copy` through a temporary, or by index tables on a GPU. `between`: see Placement.
void add_codelet(Recorder& recorder, const Codelet& codelet, const Endpoint& in, const Endpoint& out,
                 const std::vector<Loop>& loops,
                 const std::vector<std::vector<std::vector<FoldedDiagonal>>>& between = {});

/// Records  out[i] = in[i]  for i < n inside `loops`, with index tables if the maps need them. In that case an array
/// with separate components takes two copies, of real and of imaginary components.
void add_copy(Recorder& recorder, Integer n, const Endpoint& in, const Endpoint& out,
              const std::vector<Loop>& loops);

/// Whether a call that copies to or from a temporary should have `loops` around both, so that the temporary belongs to
/// one iteration: on a GPU it is in a block's shared memory, and blocks are iterations. Within a product, the loops
/// are inside already.
bool nests_in_iterations(const Recorder& recorder, const std::vector<Loop>& loops);

/// Nests what `body` records inside all of the loops; the loop with neighbouring iterations at the endpoint is
/// innermost.
void nest_by_iterations(Recorder& recorder, std::vector<Loop> loops, const Endpoint& endpoint,
                        const std::function<void()>& body);

/// Whether complex entries are pairs of the endpoint's reals in loops of the given counts; with padded rows, also if
/// one of these loops must be split for that.
bool can_pair_in(Recorder& recorder, const Endpoint& endpoint, Integer entries, std::vector<Integer> counts,
                 Integer row);

/// The fastest index of a temporary: [n][loops…] or [loops…][n].
enum class Order : std::uint8_t { loops_fastest, entries_fastest };

/// A fresh temporary for n entries in each iteration of `loops`, and an endpoint on it.
struct Temporary {
    Memory memory;
    Endpoint endpoint;
};
Temporary make_temporary(Recorder& recorder, Integer n, const std::vector<Loop>& loops, bool complex,
                         Order order = Order::loops_fastest);

} // namespace swirl::loops
