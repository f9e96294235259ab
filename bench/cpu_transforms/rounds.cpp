#include "bench/cpu_transforms/rounds.hpp"

namespace swirl::bench {

Times run_rounds(std::span<const runtime::TimedWork> contenders, const RoundOptions& options) {
    const std::size_t count = contenders.size();
    runtime::TimingOptions timing;
    timing.shortest_sample = options.batch;
    timing.warm_up = 2 * options.batch;
    timing.budget = 10 * options.batch;
    std::vector<Integer> repetitions;
    for (const runtime::TimedWork& work : contenders) repetitions.push_back(runtime::warm_up(work, timing));

    Times times(count);
    const double start = runtime::monotonic_seconds();
    for (int round = 0; round < options.rounds; ++round) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t turn = (i + static_cast<std::size_t>(round)) % count;
            times[turn].push_back(runtime::time_once(contenders[turn], repetitions[turn]));
        }
        const bool enough = round + 1 >= options.least_rounds;
        if (enough && runtime::monotonic_seconds() - start > options.seconds) break;
    }
    return times;
}

double ratio_within_rounds(std::span<const double> contender, std::span<const double> first) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < contender.size(); ++i) ratios.push_back(contender[i] / first[i]);
    return runtime::summarize(ratios).median;
}

} // namespace swirl::bench
