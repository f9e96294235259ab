#include "runtime/team.hpp"

#include "base/fork_gate.hpp"
#include "runtime/affinity.hpp"
#include "runtime/crew.hpp"

#include <algorithm>
#include <thread>

/// There is one where the program uses OpenMP, whichever library of it.
extern "C" [[gnu::weak]] int omp_in_parallel();

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

thread_local bool has_ended = false;

/// The calling thread's crew. Threads stay with the process that started them: a forked one has none.
class OwnCrew {
public:
    Crew& get() {
        if (is_of_parent()) forget();
        if (crew_ == nullptr) {
            crew_ = std::make_unique<Crew>();
            forks_before_ = forks();
        }
        return *crew_;
    }
    ~OwnCrew() {
        has_ended = true;
        if (is_of_parent())
            forget();
        else if (crew_ != nullptr && crew_->is_at_work())
            static_cast<void>(crew_.release()); // its helpers end with the process
    }
    OwnCrew() = default;
    OwnCrew(const OwnCrew&) = delete;
    OwnCrew& operator=(const OwnCrew&) = delete;

private:
    bool is_of_parent() const { return crew_ != nullptr && forks_before_ != forks(); }
    void forget() {
        crew_->forget_helpers();
        crew_.reset();
    }

    std::unique_ptr<Crew> crew_;
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
    if (size == 1) return run_alone(body);
    thread_local OwnCrew own;
    own.get().run(size, seconds, body);
}

} // namespace swirl::runtime
