#pragma once

#include "ir/interpreter.hpp"
#include "ir/interpreter_clocks.hpp"
#include "ir/interpreter_code.hpp"
#include "ir/interpreter_counts.hpp"
#include "ir/interpreter_relay.hpp"
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
        interpreted::Element* elements = nullptr; ///< in place of `shadow`, where a program has agents
        interpreted::Sum* sums = nullptr;         ///< local memory that holds sums of products
        bool is_plain() const { return shadow == nullptr && elements == nullptr && sums == nullptr; }
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

    /// Elements of shared memory, by position, that a product or store of a tile under way reads.
    struct Reading {
        const interpreted::Step* step;
        Buffer buffer;
        std::vector<Integer> positions;
        Integer threads; ///< that have not waited yet
        bool by_team;
        bool adds; ///< uses registers, until waited for: the first factor of a product, which may be in some
        std::vector<std::int32_t> loads =
            {}; ///< of registers: until when each of the team's threads had filled them
    };
    /// What a thread has done that reads tiles.
    struct Readings {
        using Group = std::vector<std::shared_ptr<Reading>>;
        Group open;
        std::deque<Group> groups; ///< committed, the latest last
    };

    /// A box on its way to shared memory.
    struct Arrival {
        const interpreted::Step* step;
        Integer first;
        int thread; ///< one of the block it goes to
        std::vector<Integer> positions;
        std::vector<Cell> values;
    };

    struct Signal {
        std::int32_t agent = 0; ///< that brings bytes here
        interpreted::Deed initialized;
        Integer needed = 0;   ///< arrivals in a phase
        Integer arrivals = 0; ///< in this phase
        Integer expected = 0; ///< bytes, in this phase
        Integer loaded = 0;   ///< bytes that loads will have brought in this phase
        Integer phases = 0;   ///< complete ones
        std::vector<Arrival> under_way;
        interpreted::Clock arrived;  ///< what those know who have arrived
        interpreted::Clock complete; ///< the same when the latest phase was complete
        bool is_ready() const { return arrivals == needed && expected == loaded; }
    };
    struct SignalPlace {
        Buffer buffer;
        Integer index;
        Integer position;
        auto operator<=>(const SignalPlace&) const = default;
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
    bool execute_with_agents(const interpreted::Step& step, Threads threads);

    // what is done at the same time (interpreter_agents.cpp)
    void execute_roles(interpreted::Node& node, Threads threads);
    std::int32_t team_of(int thread) const;
    interpreted::Doer doer(int thread) const;
    interpreted::Doer loader(int thread) const;
    std::int32_t loads_of(int thread) const;
    std::int32_t first_team() const;
    interpreted::Doer team_doer(int first_thread, interpreted::Clock& known) const;
    void let_know(int thread, interpreted::Clock& others);
    void meet(Threads threads);
    void order_by_barrier(const interpreted::Node& node, Threads threads);
    void forget_agents();

    // signals (interpreter_signals.cpp)
    Integer base(const interpreted::Place& place, int thread) const;
    SignalPlace signal_place(const interpreted::Place& place, int thread, Integer block) const;
    static interpreted::Place own_place(const interpreted::Step& step);
    Signal* signal_at(const interpreted::Step& step, const SignalPlace& place, int thread);
    void signal_initialize(const interpreted::Step& step, Threads threads);
    void signal_arrive(const interpreted::Step& step, Threads threads);
    void signal_wait(const interpreted::Step& step, Threads threads);
    void arrive(const interpreted::Step& step, const SignalPlace& place, int thread, Integer bytes);
    void complete(Signal& signal);
    bool may_pass(const interpreted::Step& step, int thread) const;
    void report_waiting(const interpreted::Step& step, Threads threads);
    void expect_no_arrivals();

    // tiles (interpreter_tiles.cpp)
    void tile_load(const interpreted::Step& step, Threads threads);
    void tile_store(const interpreted::Step& step, Threads threads);
    void issue_load(const interpreted::Step& step, int thread, Integer block,
                    const std::vector<Cell>& values);
    template <class F> void for_each_of_box(const interpreted::Step& step, int thread, F&& f) const;
    Integer place_in_box(const interpreted::Step& step, Integer first, Integer element) const;
    void count_box(const interpreted::Step& step, int thread, AccessCounts& counts) const;
    bool box_is_inside(const interpreted::Step& step, int thread);
    void land(const Arrival& arrival, const Signal& signal);

    // products (interpreter_products.cpp)
    void tile_product(const interpreted::Step& step, Threads threads);
    std::vector<double> read_factor(const interpreted::Step& step, std::size_t factor, int thread);
    std::vector<double> read_registers(const interpreted::Step& step, int first_thread);
    void use_register(const interpreted::Step& step, Buffer buffer, Integer index, int thread);
    double read_for_tile(const interpreted::Step& step, Buffer buffer, Integer index, Integer position,
                         const interpreted::Doer& by, int thread);
    void add_products(const interpreted::Step& step, int first_thread, const std::vector<double>& a,
                      const std::vector<double>& b);
    bool touch(const View& view, Integer position, int thread) const;
    void fill(const View& view, Integer position, int thread);
    void execute_tile_fence(const CopyFence& fence, int thread);
    void finish(Reading& reading, int thread);
    void expect_no_readings(int thread);
    Integer evaluate(const interpreted::Form& form, int thread) const;

    // memory (interpreter_memory.cpp)
    void bind(Arguments& arguments);
    void bind_own(std::size_t buffer);
    void watch(View& view, const Memory& memory, bool is_watched);
    void forget_own_memory();
    void forget_memory_per_iteration();
    View& view(const interpreted::Step& step) { return views_[static_cast<std::size_t>(step.buffer)]; }
    Integer base(const interpreted::Step& step, int thread) const;
    interpreted::Moment now(const View& view, int thread) const;
    bool races_as_load(View& view, Integer position, int thread) const;
    bool races_as_store(View& view, Integer position, int thread) const;
    bool races_as_atomic_add(View& view, Integer position, int thread) const;
    Integer block_in_cluster(int thread) const { return thread / static_cast<Integer>(code_.block_threads); }
    /// Of an element in the view's cells.
    Integer position(const View& view, Integer index, int thread) const {
        return index - view.origin + thread * view.thread_elements +
               (view.block_elements == 0 ? 0 : block_in_cluster(thread) * view.block_elements);
    }
    Integer position_in_block(const View& view, Integer index, Integer block) const {
        return index - view.origin + block * view.block_elements;
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
    bool is_new(Finding::Kind kind, Value operation);
    void report(Finding::Kind kind, const interpreted::Step& step, Integer element, int thread);
    void report(Finding::Kind kind, const interpreted::Step& step, Buffer buffer, Integer element,
                int thread);
    void report(Finding::Kind kind, const interpreted::Step& step, Buffer buffer, Integer element, int thread,
                const std::string& what);
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

    std::map<const Memory*, std::vector<interpreted::Element>> elements_;
    std::vector<std::vector<interpreted::Sum>> sums_; ///< by buffer
    std::vector<interpreted::Clock> clocks_;          ///< by thread
    interpreted::Clock group_clock_; ///< of what was done before arrivals at barriers of groups
    std::map<SignalPlace, Signal> signals_;
    std::vector<Readings> products_, tile_stores_;             ///< by thread
    std::vector<std::vector<interpreted::Deed>> publications_; ///< by thread
    std::vector<std::int32_t> begins_;                         ///< of products, by thread
    interpreted::Relay* relay_ = nullptr;                      ///< while roles are executed

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
