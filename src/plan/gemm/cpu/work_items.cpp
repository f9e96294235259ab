#include "plan/gemm/cpu/work_items.hpp"

#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace swirl::planning {

double work_of(const MatrixProduct& product) {
    return static_cast<double>(product.rows) * static_cast<double>(product.columns) *
           static_cast<double>(product.k);
}

int tasks_of_member(double work, int members) {
    constexpr double least_work_of_task = 1 << 20, most_tasks = 4;
    return members == 1 ? 1
                        : static_cast<int>(std::clamp(work / members / least_work_of_task, 1.0, most_tasks));
}

namespace {

/// The items of a kind that start in a member's share of the total work; earlier kinds have `before` work.
runtime::IterationRange items_of(const Items& kind, double before, double all, int member, int members) {
    const auto first_from = [&](int share) {
        if (share == members) return kind.count;
        const double items = (all * share / members - before) / std::max(kind.work, 1.0);
        const auto most = static_cast<double>(kind.count);
        return static_cast<Integer>(std::clamp(std::ceil(items), 0.0, most));
    };
    return {first_from(member), first_from(member + 1)};
}

} // namespace

void distribute_items(std::span<const Items> kinds, int threads,
                      const std::function<void(std::size_t kind, Integer item, int threads)>& run) {
    double all = 0;
    for (const Items& kind : kinds) all += kind.work * static_cast<double>(kind.count);
    const int wanted = std::max(1, static_cast<int>(std::min<double>(threads, all / min_parallel_work)));
    const int members = wanted > 1 ? runtime::team_size(wanted) : 1;
    std::vector<Items> shared(kinds.begin(), kinds.end());
    all = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const bool is_long = kinds[k].threads > 1 && kinds[k].work >= 2 * min_parallel_work &&
                             static_cast<double>(kinds[k].count) < 4.0 * members;
        if (members <= 1 || is_long) {
            for (Integer item = 0; item < kinds[k].count; ++item)
                run(k, item, std::min(threads, kinds[k].threads));
            shared[k].count = 0;
        }
        all += shared[k].work * static_cast<double>(shared[k].count);
    }
    if (std::all_of(shared.begin(), shared.end(), [](const Items& kind) { return kind.count == 0; })) return;
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            double before = 0;
            for (std::size_t k = 0; k < shared.size(); ++k) {
                const runtime::IterationRange range =
                    items_of(shared[k], before, all, member.index(), member.size());
                for (Integer item = range.first; item < range.last; ++item) run(k, item, 1);
                before += shared[k].work * static_cast<double>(shared[k].count);
            }
        },
        min_seconds(all));
}

} // namespace swirl::planning
