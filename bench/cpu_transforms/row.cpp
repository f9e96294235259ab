#include "bench/cpu_transforms/row.hpp"

#include "api/build.hpp"
#include "plan/problem_data.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace swirl::bench {
namespace {

/// A larger difference between results is an error, not rounding.
double tolerance(DataType precision) { return precision == DataType::float32 ? 1e-4 : 1e-11; }

template <class T> double difference(std::span<const T> a, std::span<const T> b) {
    double distance = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        distance += (x - y) * (x - y);
        size += y * y;
    }
    const double relative = std::sqrt(distance / size);
    return std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity();
}

class Contest {
public:
    Contest(const Transform& problem, const Options& options)
        : problem_(problem), options_(options), data_(problem), row_{problem} {}

    Row run() {
        add_swirl("swirl", options_.planning);
        if (options_.against_measured) {
            swirl::Options measured = options_.planning;
            measured.effort = Effort::measure;
            add_swirl(std::string(measured_name), measured);
        }
        for (const peers::Peer* peer : options_.peers) add(*peer);
        data_.fill(1); // planning may have overwritten it
        data_.save();
        compare_results();
        const runtime::FlushDenormals flush;
        const Times times = run_rounds(works_, options_.rounds);
        for (std::size_t i = 0; i < works_.size(); ++i) {
            Entry& entry = row_.entries[i];
            entry.time = runtime::summarize(times[i]);
            entry.ratio = ratio_within_rounds(times[i], times[0]);
        }
        return std::move(row_);
    }

private:
    void add(Entry entry, std::function<void()> run) {
        row_.entries.push_back(std::move(entry));
        works_.push_back(data_.timed(std::move(run)));
    }

    void add_swirl(const std::string& name, const swirl::Options& planning) {
        const double start = runtime::monotonic_seconds();
        const auto plan = api::build_on_cpu(problem_, planning);
        const double seconds = runtime::monotonic_seconds() - start;
        if (row_.entries.empty()) row_.flops = plan->flops();
        add({.name = name, .made_by = planning::to_string(plan->schedule()), .planning_seconds = seconds},
            [plan, arguments = data_.arguments()] { plan->execute(arguments); });
    }

    void add(const peers::Peer& peer) {
        const double start = runtime::monotonic_seconds();
        peers::PeerPlan planned = peer.plan(problem_, data_.arguments(), options_.peer_options);
        const double seconds = runtime::monotonic_seconds() - start;
        const std::string name(peer.name);
        if (planned.run)
            add({.name = name, .made_by = planned.made_by, .planning_seconds = seconds},
                std::move(planned.run));
        else
            row_.absences.push_back({name, planned.absent_because});
    }

    /// All implementations transform the same data; one with a different result is excluded.
    void compare_results() {
        const auto output = data_.buffers().back().span_of<std::byte>();
        std::vector<std::byte> expected;
        for (std::size_t i = 0; i < works_.size();) {
            data_.restore();
            works_[i].run();
            if (i == 0) expected.assign(output.begin(), output.end());
            Entry& entry = row_.entries[i];
            entry.difference = difference_from(expected);
            if (entry.difference <= tolerance(problem_.precision)) {
                ++i;
                continue;
            }
            row_.absences.push_back(
                {entry.name, fmt::format("its result differs from swirl's by {:.1e}", entry.difference)});
            row_.entries.erase(row_.entries.begin() + static_cast<std::ptrdiff_t>(i));
            works_.erase(works_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        data_.restore();
    }

    double difference_from(const std::vector<std::byte>& expected) const {
        const planning::GuardedBuffer& output = data_.buffers().back();
        if (problem_.precision == DataType::float32)
            return difference<float>(output.span_of<float>(),
                                     {reinterpret_cast<const float*>(expected.data()), expected.size() / 4});
        return difference<double>(output.span_of<double>(),
                                  {reinterpret_cast<const double*>(expected.data()), expected.size() / 8});
    }

    const Transform& problem_;
    const Options& options_;
    planning::ProblemData data_;
    Row row_;
    std::vector<runtime::TimedWork> works_;
};

} // namespace

Row measure(const Transform& problem, const Options& options) { return Contest(problem, options).run(); }

double gigaflops(const Transform& problem, double seconds) {
    return search::pseudo_flops(problem) / seconds * 1e-9;
}

const Entry* entry_of(const Row& row, std::string_view name) {
    for (const Entry& entry : row.entries)
        if (entry.name == name) return &entry;
    return nullptr;
}

} // namespace swirl::bench
