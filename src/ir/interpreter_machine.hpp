#pragma once

#include "ir/interpreter.hpp"
#include "ir/interpreter_code.hpp"
#include "ir/interpreter_counts.hpp"
#include "ir/interpreter_shadow.hpp"

#include <deque>
#include <map>
#include <span>

namespace swirl::ir {

/// Executes decoded programs. All threads of a cluster or group execute each operation together; a set of threads says who
/// takes part.
class Interpreter::Machine {
public:
    explicit Machine(const Program& program);
    InterpreterReport run(Arguments& arguments, const InterpreterOptions& options);

private:
    using Threads = std::span<const int>;

    /// Memory of one buffer as the running block sees it.
    struct View {
        Cell* cells = nullptr; ///< of index `origin`
        unsigned char* written = nullptr;
        Integer origin = 0;
        Integer low = 0, high = 0;   ///< accesses lie in low…high−1
        Integer thread_elements = 0; ///< local memory: distance between threads
        Integer block_elements = 0;  ///< shared memory of a block's own: distance between blocks of a cluster
        interpreted::Shadow* shadow = nullptr;
        Space space = Space::argument;
        bool read_only = false;
        bool per_iteration = false;
        int element_bytes = 0;
        int alignment = 0; ///< bytes
    };

    /// What a thread stores asynchronously, from element `first` on.
    struct Copy {
        const interpreted::Step* step;
        Integer first;
        std::vector<Cell> values;
    };
    struct Copies {
        std::vector<Copy> open;
        std::deque<std::vector<Copy>> groups; ///< committed, the latest last
    };

    // execution (interpreter.cpp)
    void run_blocks();
    void start_cluster(Integer cluster);
    void execute(std::vector<interpreted::Node>& nodes, Threads threads);
    void execute_run(const interpreted::Node& node, Threads threads);
    Threads whole_teams(const interpreted::Step& step, Threads threads);
    void execute_loop(interpreted::Node& node, Threads threads);
    void execute_iterations(interpreted::Node& node, Threads threads);
    void execute_condition(interpreted::Node& node, Threads threads);
    void execute_barrier(const interpreted::Node& node, Threads threads);
    bool are_whole_blocks(Threads threads) const;
    Integer evaluate(const interpreted::Form& form, int thread) const;

    // memory (interpreter_memory.cpp)
    void bind(Arguments& arguments);
    void bind_own(std::size_t buffer);
    void forget_own_memory();
    void forget_memory_per_iteration();
    View& view(const interpreted::Step& step) { return views_[static_cast<std::size_t>(step.buffer)]; }
    Integer base(const interpreted::Step& step, int thread) const;
    interpreted::Moment now(const View& view, int thread) const;
    Integer block_in_cluster(int thread) const { return thread / static_cast<Integer>(code_.block_threads); }
    /// Of an element in the view's cells.
    Integer position(const View& view, Integer index, int thread) const {
        return index - view.origin + thread * view.thread_elements +
               (view.block_elements == 0 ? 0 : block_in_cluster(thread) * view.block_elements);
    }
    void load(const interpreted::Step& step, Threads threads);
    void load_lanes(const interpreted::Step& step, View& view, int thread);
    void load_lane(const interpreted::Step& step, View& view, Integer index, int thread, Cell& result);
    void store(const interpreted::Step& step, Threads threads);
    void store_lanes(const interpreted::Step& step, View& view, int thread);
    void store_lane(const interpreted::Step& step, View& view, Integer index, int thread, const Cell& value);
    void atomic_add(const interpreted::Step& step, Threads threads);
    void count_traffic(const interpreted::Step& step, Threads threads, AccessCounts& counts);
    void count_warps(const interpreted::Step& step, Threads threads, int bytes, Integer offset,
                     AccessCounts& counts);
    void check_alignment(const interpreted::Step& step, Threads threads);

    // asynchronous stores (interpreter_copies.cpp)
    void store_asynchronously(const interpreted::Step& step, Threads threads);
    void mark_stored(const Copy& copy, int thread);
    void execute_fence(const interpreted::Node& node, Threads threads);
    void finish(const Copy& copy, int thread);
    void expect_no_copies();

    // findings (interpreter_report.cpp)
    void report(Finding::Kind kind, const interpreted::Step& step, Integer element, int thread);
    void report_divergence(Threads threads);
    void report_team(const interpreted::Step& step, int thread);
    void add_finding(Finding finding, int thread, const std::string& what);
    std::string place(const Finding& finding, int thread) const;

    const Program& program_;
    interpreted::Code code_;
    bool on_gpu_; ///< more than one thread or block
    bool watches_races_;

    std::vector<Integer> variables_; ///< by variable, then thread
    std::vector<int> all_threads_;
    std::vector<View> views_;
    std::vector<std::unique_ptr<Memory>> own_memories_; ///< local and shared, by buffer
    std::map<const Memory*, interpreted::Shadow> shadows_;
    interpreted::WarpAccess warp_;
    std::vector<Copies> copies_; ///< by thread
    std::vector<int> whole_;     ///< work space

    Integer block_ = 0; ///< the cluster's first, or iteration of a parallel loop
    std::int32_t region_ = 0;
    std::vector<std::int32_t> epochs_; ///< by block of the cluster or group: counts its barriers
    std::int32_t cluster_epoch_ = 0;   ///< counts barriers of clusters
    std::int32_t arrivals_ = 0;        ///< at barriers of groups and clusters, of each block
    std::int32_t waits_ = 0;           ///< how many of them had been made at the latest wait
    bool in_parallel_loop_ = false;
    InterpreterOptions options_;
    InterpreterReport report_;
};

} // namespace swirl::ir
