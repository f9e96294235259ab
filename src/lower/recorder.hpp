#pragma once

#include "lower/loop_program.hpp"

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

namespace swirl::lower {

/// A LoopProgram under construction.
class Recorder {
public:
    /// For a GPU temporaries that have been released do not serve again, and codelets reach memory through tables of
    /// indices where they must.
    explicit Recorder(bool for_gpu = false) : for_gpu_(for_gpu) {}

    bool for_gpu() const { return for_gpu_; }

    Extents& extents() { return program_.extents; }

    Variable new_variable(Integer extent) {
        program_.extents.set(next_variable_, extent);
        return next_variable_++;
    }

    Memory add_argument(const Array& array);

    /// What `body` records lies inside a loop.
    template <class Body> void nest(const Loop& loop, Body&& body) {
        Nodes outside = std::exchange(program_.body, {});
        const bool nested = std::exchange(nested_, nested_ || loop.count > 1);
        body();
        nested_ = nested;
        outside.push_back({Nest{loop, std::move(program_.body)}});
        program_.body = std::move(outside);
    }
    void add(Call call) { program_.body.emplace_back().node = std::move(call); }

    /// What `body` records is one step of several, which hand temporaries on inside the loops that they share.
    template <class Body> void among_steps(Body&& body) {
        const bool outside = std::exchange(among_steps_, true);
        body();
        among_steps_ = outside;
    }
    bool is_among_steps() const { return among_steps_; }

    /// A temporary of `elements` entries; planar when complex. Once released it may serve again, those of
    /// single iterations apart from those that several iterations share.
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
    bool nested_ = false;      ///< inside a loop of several iterations
    bool among_steps_ = false;
    bool for_gpu_;
    Variable next_variable_ = 0;
};

/// The lowest and highest element of a layout.
Reach reach_of(const Layout& layout);

/// Adds the argument that holds all of these elements, complex numbers or reals; see Array for `parts_apart`.
Memory add_argument(Recorder& recorder, Array::Role role, bool complex, bool parts_apart,
                    std::initializer_list<Reach> reaches);

/// Records  out = codelet(in)  for every iteration of `loops`. Index maps that are not affine in the loops are done
/// apart, by `add_copy` through a temporary, or by tables on a GPU. `between`: see Placement.
void add_codelet(Recorder& recorder, const Codelet& codelet, const Endpoint& in, const Endpoint& out,
                 const std::vector<Loop>& loops,
                 const std::vector<std::vector<std::vector<MetDiagonal>>>& between = {});

/// Records  out[i] = in[i]  for i < n inside `loops`, through tables of indices where the maps need them; such entries
/// of an array whose parts lie apart in two copies, of real and of imaginary parts.
void add_copy(Recorder& recorder, Integer n, const Endpoint& in, const Endpoint& out,
              const std::vector<Loop>& loops);

/// Whether a step that copies to or from a temporary is to have `loops` around both, so that the temporary is of one iteration:
/// on a GPU it lies in the shared memory of a block, and blocks have iterations. Among steps the loops are inside already.
bool goes_by_iterations(const Recorder& recorder, const std::vector<Loop>& loops);

/// What `body` records lies inside all of the loops, the one whose iterations are neighbours at the endpoint innermost.
void nest_by_iterations(Recorder& recorder, std::vector<Loop> loops, const Endpoint& endpoint,
                        const std::function<void()>& body);

/// Whether complex entries are pairs of the endpoint's reals in loops of the given counts; with rows left out, also where
/// one of these loops has to be split for that.
bool can_pair_in(Recorder& recorder, const Endpoint& endpoint, Integer entries, std::vector<Integer> counts,
                 Integer row);

/// Which index of a temporary runs fastest: [n][loops…] or [loops…][n].
enum class Order : std::uint8_t { loops_fastest, entries_fastest };

/// A fresh temporary for n entries in each iteration of `loops`, and the endpoint that sees it.
struct Temporary {
    Memory memory;
    Endpoint endpoint;
};
Temporary make_temporary(Recorder& recorder, Integer n, const std::vector<Loop>& loops, bool complex,
                         Order order = Order::loops_fastest);

} // namespace swirl::lower
