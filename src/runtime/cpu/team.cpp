#include "runtime/cpu/team.hpp"

#include "base/fork_gate.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/cpu_quota.hpp"
#include "runtime/cpu/thread_pool.hpp"

#include <algorithm>
#include <thread>

/// Defined if the program links any OpenMP library.
extern "C" [[gnu::weak]] int omp_in_parallel();

namespace swirl::runtime {

int processors() {
    static constinit LazyValue<const int> quota;
    const auto allowed = static_cast<int>(allowed_processors().size());
    const int all =
        std::max(1, allowed > 0 ? allowed : static_cast<int>(std::thread::hardware_concurrency()));
    const int granted = quota.get([] { return cpu_quota(); });
    return granted > 0 ? std::min(all, granted) : all;
}

IterationRange partition_of(std::int64_t iterations, std::int64_t grain, int member, int members) {
    const std::int64_t grains = (iterations + grain - 1) / grain;
    const auto start = [&](std::int64_t m) { return std::min(iterations, grains * m / members * grain); };
    return {start(member), start(member + 1)};
}

namespace {

thread_local bool has_ended = false;

/// The calling thread's pool. Threads belong to the process that started them: a forked child has none.
class OwnThreadPool {
public:
    ThreadPool& get() {
        if (is_of_parent()) drop();
        if (pool_ == nullptr) {
            pool_ = std::make_unique<ThreadPool>();
            forks_before_ = forks();
        }
        return *pool_;
    }
    ~OwnThreadPool() {
        has_ended = true;
        if (is_of_parent())
            drop();
        else if (pool_ != nullptr && pool_->is_busy())
            static_cast<void>(pool_.release()); // its workers end with the process
    }
    OwnThreadPool() = default;
    OwnThreadPool(const OwnThreadPool&) = delete;
    OwnThreadPool& operator=(const OwnThreadPool&) = delete;

private:
    bool is_of_parent() const { return pool_ != nullptr && forks_before_ != forks(); }
    void drop() {
        pool_->drop_workers();
        pool_.reset();
    }

    std::unique_ptr<ThreadPool> pool_;
    std::uint64_t forks_before_ = 0;
};

} // namespace

int team_size(int wanted) {
    const bool alone =
        is_team_member() || has_ended || (omp_in_parallel != nullptr && omp_in_parallel() != 0);
    return alone ? 1 : std::max(1, wanted);
}

void run_team(int wanted, const std::function<void(const TeamMember&)>& body, double seconds) {
    const int size = team_size(wanted);
    if (size == 1) return run_serially(body);
    thread_local OwnThreadPool own;
    own.get().run(size, seconds, body);
}

} // namespace swirl::runtime
