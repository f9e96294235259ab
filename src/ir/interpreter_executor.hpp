#pragma once

#include "ir/interpreter.hpp"
#include "ir/interpreter_counts.hpp"
#include "ir/interpreter_decode.hpp"
#include "ir/interpreter_scheduler.hpp"
#include "ir/interpreter_shadow.hpp"
#include "ir/interpreter_vector_clock.hpp"

#include <deque>
#include <map>
#include <span>

namespace swirl::ir {

/// Executes decoded programs. All threads of a cluster or cooperative group execute each operation together; a thread
/// set gives the active ones.
class Interpreter::Executor {
public:
    explicit Executor(const Program& program);
    InterpreterReport run(Arguments& arguments, const InterpreterOptions& options);

private:
    using Threads = std::span<const int>;

    /// Memory of one buffer, as seen by the running block.
    struct View {
        Cell* cells = nullptr; ///< of index `origin`
        unsigned char* written = nullptr;
        Integer origin = 0;
        Integer low = 0, high = 0;   ///< valid indices are low…high−1
        Integer thread_elements = 0; ///< local memory: distance between threads
        Integer block_elements = 0;  ///< a block's own shared memory: distance between blocks of a cluster
        interpreted::Shadow* shadow = nullptr;
        interpreted::Element* elements = nullptr;              ///< replaces `shadow` in programs with agents
        interpreted::AccumulatorState* accumulators = nullptr; ///< local memory with wgmma accumulators
        bool is_plain() const { return shadow == nullptr && elements == nullptr && accumulators == nullptr; }
        Space space = Space::argument;
        bool read_only = false;
        int nest_depth = 0;
        int element_bytes = 0;
        int alignment = 0; ///< bytes
    };

    /// An asynchronous store of a thread, from element `first` on.
    struct Copy {
        const interpreted::DecodedOperation* op;
        Integer first;
        std::vector<Cell> values;
    };
    struct Copies {
        std::vector<Copy> open;
        std::deque<std::vector<Copy>> groups; ///< committed, latest last
    };

    /// Elements of shared memory, by position, that a wgmma or tma_store in flight reads.
    struct PendingRead {
        const interpreted::DecodedOperation* op;
        Buffer buffer;
        std::vector<Integer> positions;
        Integer threads; ///< that have not waited yet
        bool by_team;
        bool adds; ///< uses registers until waited for: A of a wgmma, which may itself be in registers
        std::vector<std::int32_t> loads =
            {}; ///< for register operands: the load time up to which each thread of the warpgroup had filled them
    };
    /// A thread's reads of tiles.
    struct PendingReads {
        using Group = std::vector<std::shared_ptr<PendingRead>>;
        Group open;
        std::deque<Group> groups; ///< committed, latest last
    };

    /// A box in flight to shared memory.
    struct PendingTransfer {
        const interpreted::DecodedOperation* op;
        Integer first;
        int thread; ///< a thread of the destination block
        std::vector<Integer> positions;
        std::vector<Cell> values;
    };

    struct Mbarrier {
        std::int32_t agent = 0; ///< that delivers bytes here
        interpreted::Event initialized;
        Integer needed = 0;   ///< arrivals per phase
        Integer arrivals = 0; ///< in the current phase
        Integer expected = 0; ///< bytes in the current phase
        Integer loaded = 0;   ///< bytes that loads deliver in the current phase
        Integer phases = 0;   ///< completed phases
        std::vector<PendingTransfer> in_flight;
        interpreted::VectorClock arrived;  ///< joint knowledge of the threads that have arrived
        interpreted::VectorClock complete; ///< the same at the completion of the latest phase
        bool is_ready() const { return arrivals == needed && expected == loaded; }
    };
    struct MbarrierAddress {
        Buffer buffer;
        Integer index;
        Integer position;
        auto operator<=>(const MbarrierAddress&) const = default;
    };

    // execution (interpreter.cpp)
    void run_blocks();
    void start_cluster(Integer cluster);
    void execute(std::vector<interpreted::Node>& nodes, Threads threads);
    void execute_block(const interpreted::Node& node, Threads threads);
    Threads complete_warps(const interpreted::DecodedOperation& op, Threads threads);
    void execute_loop(interpreted::Node& node, Threads threads);
    void execute_iterations(interpreted::Node& node, Threads threads);
    void execute_condition(interpreted::Node& node, Threads threads);
    void execute_barrier(const interpreted::Node& node, Threads threads);
    bool are_whole_blocks(Threads threads) const;
    bool execute_async(const interpreted::DecodedOperation& op, Threads threads);

    // concurrency (interpreter_roles.cpp)
    void execute_roles(interpreted::Node& node, Threads threads);
    std::int32_t warpgroup_of(int thread) const;
    interpreted::Actor actor(int thread) const;
    interpreted::Actor loader(int thread) const;
    std::int32_t loads_of(int thread) const;
    std::int32_t first_warpgroup() const;
    interpreted::Actor warpgroup_actor(int first_thread, interpreted::VectorClock& known) const;
    void publish_knowledge(int thread, interpreted::VectorClock& others);
    void synchronize(Threads threads);
    void order_by_barrier(const interpreted::Node& node, Threads threads);
    void reset_clocks();

    // mbarriers (interpreter_mbarriers.cpp)
    Integer base(const interpreted::MemoryOperand& operand, int thread) const;
    MbarrierAddress mbarrier_address(const interpreted::MemoryOperand& operand, int thread,
                                     Integer block) const;
    static interpreted::MemoryOperand own_operand(const interpreted::DecodedOperation& op);
    Mbarrier* mbarrier_at(const interpreted::DecodedOperation& op, const MbarrierAddress& address,
                          int thread);
    void mbarrier_init(const interpreted::DecodedOperation& op, Threads threads);
    void mbarrier_arrive(const interpreted::DecodedOperation& op, Threads threads);
    void mbarrier_wait(const interpreted::DecodedOperation& op, Threads threads);
    void arrive(const interpreted::DecodedOperation& op, const MbarrierAddress& address, int thread,
                Integer bytes);
    void complete(Mbarrier& mbarrier);
    bool may_pass(const interpreted::DecodedOperation& op, int thread) const;
    void report_waiting(const interpreted::DecodedOperation& op, Threads threads);
    void expect_no_arrivals();

    // tiles (interpreter_tma.cpp)
    void tma_load(const interpreted::DecodedOperation& op, Threads threads);
    void tma_store(const interpreted::DecodedOperation& op, Threads threads);
    void issue_load(const interpreted::DecodedOperation& op, int thread, Integer block,
                    const std::vector<Cell>& values);
    template <class F> void for_each_of_box(const interpreted::DecodedOperation& op, int thread, F&& f) const;
    Integer offset_in_box(const interpreted::DecodedOperation& op, Integer first, Integer element) const;
    void count_box(const interpreted::DecodedOperation& op, int thread, AccessCounts& counts) const;
    bool box_is_inside(const interpreted::DecodedOperation& op, int thread);
    void land(const PendingTransfer& arrival, const Mbarrier& mbarrier);

    // wgmma (interpreter_wgmma.cpp)
    void wgmma(const interpreted::DecodedOperation& op, Threads threads);
    std::vector<double> read_operand(const interpreted::DecodedOperation& op, std::size_t operand,
                                     int thread);
    std::vector<double> read_registers(const interpreted::DecodedOperation& op, int first_thread);
    void use_register(const interpreted::DecodedOperation& op, Buffer buffer, Integer index, int thread);
    double read_for_tile(const interpreted::DecodedOperation& op, Buffer buffer, Integer index,
                         Integer position, const interpreted::Actor& by, int thread);
    void accumulate_products(const interpreted::DecodedOperation& op, int first_thread,
                             const std::vector<double>& a, const std::vector<double>& b);
    bool touch(const View& view, Integer position, int thread) const;
    void fill(const View& view, Integer position, int thread);
    void execute_wgmma_fence(const AsyncFence& fence, int thread);
    void finish(PendingRead& reading, int thread);
    void expect_no_pending_reads(int thread);
    Integer evaluate(const interpreted::Form& form, int thread) const;

    // memory (interpreter_memory.cpp)
    void bind(Arguments& arguments);
    void bind_own(std::size_t buffer);
    void watch(View& view, const Memory& memory, bool is_watched);
    void reset_own_memory();
    /// Memory private to an iteration of the loop that begins or ends, or of loops in it.
    void reset_memory_of_iteration();
    View& view(const interpreted::DecodedOperation& op) {
        return views_[static_cast<std::size_t>(op.buffer)];
    }
    Integer base(const interpreted::DecodedOperation& op, int thread) const;
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
    void load(const interpreted::DecodedOperation& op, Threads threads);
    void load_lanes(const interpreted::DecodedOperation& op, View& view, int thread);
    void load_lane(const interpreted::DecodedOperation& op, View& view, Integer index, int thread,
                   Cell& result);
    void store(const interpreted::DecodedOperation& op, Threads threads);
    void store_lanes(const interpreted::DecodedOperation& op, View& view, int thread);
    void store_lane(const interpreted::DecodedOperation& op, View& view, Integer index, int thread,
                    const Cell& value);
    void atomic_add(const interpreted::DecodedOperation& op, Threads threads);
    void count_traffic(const interpreted::DecodedOperation& op, Threads threads, AccessCounts& counts);
    void count_warps(const interpreted::DecodedOperation& op, Threads threads, int bytes, Integer offset,
                     AccessCounts& counts);
    void check_alignment(const interpreted::DecodedOperation& op, Threads threads);

    // asynchronous stores (interpreter_copies.cpp)
    void store_asynchronously(const interpreted::DecodedOperation& op, Threads threads);
    void mark_stored(const Copy& copy, int thread);
    void execute_fence(const interpreted::Node& node, Threads threads);
    void finish(const Copy& copy, int thread);
    void expect_no_copies();

    // diagnostics (interpreter_report.cpp)
    bool is_new(Diagnostic::Kind kind, Value operation);
    void report(Diagnostic::Kind kind, const interpreted::DecodedOperation& op, Integer element, int thread);
    void report(Diagnostic::Kind kind, const interpreted::DecodedOperation& op, Buffer buffer,
                Integer element, int thread);
    void report(Diagnostic::Kind kind, const interpreted::DecodedOperation& op, Buffer buffer,
                Integer element, int thread, const std::string& what);
    void report_divergence(Threads threads);
    void report_incomplete_warp(const interpreted::DecodedOperation& op, int thread);
    void add_diagnostic(Diagnostic diagnostic, int thread, const std::string& what);
    std::string location_of(const Diagnostic& diagnostic, int thread) const;

    const Program& program_;
    interpreted::DecodedProgram code_;
    bool on_gpu_; ///< more than one thread or block
    bool checks_races_;

    std::vector<Integer> variables_; ///< by variable, then thread
    std::vector<int> all_threads_;
    std::vector<View> views_;
    std::vector<std::unique_ptr<Memory>> own_memories_; ///< local and shared, by buffer
    std::map<const Memory*, interpreted::Shadow> shadows_;
    interpreted::WarpAccess warp_;
    std::vector<Copies> copies_; ///< by thread
    std::vector<int> whole_;     ///< work space

    std::map<const Memory*, std::vector<interpreted::Element>> elements_;
    std::vector<std::vector<interpreted::AccumulatorState>> accumulators_; ///< by buffer
    std::vector<interpreted::VectorClock> clocks_;                         ///< by thread
    interpreted::VectorClock
        cooperative_group_clock_; ///< clock of what preceded arrivals at barriers of cooperative groups
    std::map<MbarrierAddress, Mbarrier> mbarriers_;
    std::vector<PendingReads> products_, tma_stores_;           ///< by thread
    std::vector<std::vector<interpreted::Event>> publications_; ///< by thread
    std::vector<std::int32_t> begins_;                          ///< wgmma fences, by thread
    interpreted::CooperativeScheduler* scheduler_ = nullptr;    ///< set while roles are executed

    Integer block_ = 0; ///< first block of the cluster, or iteration of a parallel loop
    std::int32_t region_ = 0;
    std::vector<std::int32_t> epochs_; ///< by block of the cluster or cooperative group: counts its barriers
    std::int32_t cluster_epoch_ = 0;   ///< counts cluster barriers
    std::int32_t arrivals_ = 0;        ///< of each block, at barriers of cooperative groups and clusters
    std::int32_t waits_ = 0;           ///< value of arrivals_ at the latest wait
    bool in_parallel_loop_ = false;
    int nest_depth_ = 0; ///< enclosing parallel loops of several iterations
    InterpreterOptions options_;
    InterpreterReport report_;
};

} // namespace swirl::ir
