#include "runtime/team.hpp"

#include "runtime/affinity.hpp"

#include <algorithm>
#include <barrier>
#include <cfenv>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

// ThreadSanitizer does not see how libgomp's threads wait for each other and would report races that are none.
#if defined(__SANITIZE_THREAD__)
#define SWIRL_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SWIRL_THREAD_SANITIZER 1
#endif
#endif

#if defined(_OPENMP) && !defined(SWIRL_THREAD_SANITIZER)
#define SWIRL_TEAMS_BY_OPENMP 1
#include <omp.h>
#endif

namespace swirl::runtime {

int processors() {
    const auto allowed = static_cast<int>(allowed_processors().size());
    return std::max(1, allowed > 0 ? allowed : static_cast<int>(std::thread::hardware_concurrency()));
}

Share share_of(std::int64_t iterations, std::int64_t grain, int member, int members) {
    const std::int64_t grains = (iterations + grain - 1) / grain;
    const auto start = [&](std::int64_t m) { return std::min(iterations, grains * m / members * grain); };
    return {start(member), start(member + 1)};
}

namespace {

/// While alive, the thread computes as the one whose environment it was given.
class BorrowedEnvironment {
public:
    explicit BorrowedEnvironment(const std::fenv_t& environment) {
        std::fegetenv(&own_);
        std::fesetenv(&environment);
    }
    ~BorrowedEnvironment() { std::fesetenv(&own_); }
    BorrowedEnvironment(const BorrowedEnvironment&) = delete;
    BorrowedEnvironment& operator=(const BorrowedEnvironment&) = delete;

private:
    std::fenv_t own_;
};

/// What one of the members threw, to be thrown again by the thread that called them.
class Failure {
public:
    template <class F> void guard(F&& f) noexcept {
        try {
            f();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

void run_alone(const std::function<void(const TeamMember&)>& body) {
    body(TeamMember(
        0, 1, [](void*) {}, nullptr));
}

} // namespace

#if defined(SWIRL_TEAMS_BY_OPENMP)

int team_size(int wanted) { return omp_in_parallel() != 0 ? 1 : std::max(1, wanted); }

void run_team(int wanted, const std::function<void(const TeamMember&)>& body) {
    const int size = team_size(wanted);
    if (size == 1) return run_alone(body);
    std::fenv_t environment;
    std::fegetenv(&environment);
    Failure failure;
#pragma omp parallel num_threads(size)
    {
        const BorrowedEnvironment borrowed(environment);
        const auto meet = [](void*) {
#pragma omp barrier
        };
        failure.guard([&] { body(TeamMember(omp_get_thread_num(), omp_get_num_threads(), meet, nullptr)); });
    }
    failure.rethrow();
}

const char* team_kind() { return "OpenMP"; }

#else

namespace {
thread_local bool in_team = false;
}

int team_size(int wanted) { return in_team ? 1 : std::max(1, wanted); }

void run_team(int wanted, const std::function<void(const TeamMember&)>& body) {
    const int size = team_size(wanted);
    if (size == 1) return run_alone(body);
    std::fenv_t environment;
    std::fegetenv(&environment);
    Failure failure;
    std::barrier<> barrier(size);
    const auto meet = [](void* context) { static_cast<std::barrier<>*>(context)->arrive_and_wait(); };
    const auto work = [&](int number) {
        const BorrowedEnvironment borrowed(environment);
        in_team = true;
        failure.guard([&] { body(TeamMember(number, size, meet, &barrier)); });
        in_team = false;
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(size) - 1);
    for (int number = 1; number < size; ++number) others.emplace_back(work, number);
    work(0);
    for (std::thread& other : others) other.join();
    failure.rethrow();
}

const char* team_kind() { return "std::thread"; }

#endif

} // namespace swirl::runtime
