#include "bench/row.hpp"

#include "base/error.hpp"
#include "bench/support/setting.hpp"
#include "cli/geometric_mean.hpp"
#include "cli/run_record.hpp"
#include "cli/table.hpp"
#include "runtime/timer.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace swirl::bench {
namespace {

/// Held as long as it lives, by one process at a time.
class FileLock {
public:
    explicit FileLock(const std::string& path) {
        if (path.empty()) return;
        file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file_ < 0 || flock(file_, LOCK_EX) != 0) throw UserError("--lock {}: cannot be locked", path);
    }
    ~FileLock() {
        if (file_ >= 0) close(file_);
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int file_ = -1;
};

class Contest {
public:
    Contest(const Problem& problem, Device& device, const Options& options)
        : row_{problem}, options_(options), measurement_(device.prepare(problem)) {
        row_.flops = measurement_->flops();
    }

    Row run(const std::vector<std::string>& peers) {
        plan_swirl();
        for (const std::string& name : peers) plan_peer(name);
        if (options_.compare) compare();
        const std::string* const first = row_.entries.empty() ? nullptr : &row_.entries.front().library;
        const double flops = first != nullptr && *first == "swirl" ? works_.front().flops : 0;
        row_.floors = measurement_->floors(flops > 0 ? flops : row_.flops);
        time();
        return std::move(row_);
    }

private:
    void plan_swirl() {
        std::vector<std::string> schedules = options_.schedules;
        try {
            if (options_.candidates > 0) schedules = measurement_->best_schedules(options_.candidates);
        } catch (const Error& error) {
            row_.absent["swirl"] = first_line(error.what());
            return;
        }
        if (schedules.empty()) schedules = {""};
        for (std::size_t k = 0; k < schedules.size(); ++k) {
            swirl::Options planning = options_.planning;
            planning.schedule = schedules[k];
            plan(k == 0 ? "swirl" : fmt::format("swirl {}", k + 1),
                 [&] { return measurement_->plan_swirl(planning); });
        }
    }

    void plan_peer(const std::string& name) {
        if (name != measured_swirl) return plan(name, [&] { return measurement_->plan_peer(name); });
        swirl::Options planning = options_.planning;
        planning.effort = Effort::measure;
        plan(name, [&] { return measurement_->plan_swirl(planning); });
    }

    template <class Make> void plan(const std::string& library, const Make& make) {
        try {
            const double start = runtime::monotonic_seconds();
            Work work = make();
            const double seconds = runtime::monotonic_seconds() - start;
            row_.entries.push_back({library, work.made_by, seconds});
            works_.push_back(std::move(work));
        } catch (const std::exception& error) {
            row_.absent[library] = first_line(error.what());
        }
    }

    void compare() {
        for (std::size_t k = 0; k < works_.size(); ++k) {
            Entry& entry = row_.entries[k];
            try {
                measurement_->reset();
                works_[k].run(0, 1);
                measurement_->finish();
                entry.distance = measurement_->distance();
                entry.is_wrong = !(entry.distance <= measurement_->tolerance()); // NaN is wrong, too
            } catch (const std::exception& error) {
                entry.times.failed_because = first_line(error.what());
            }
        }
    }

    void time() {
        std::vector<Work> works;
        std::vector<Entry*> entries;
        for (std::size_t k = 0; k < works_.size(); ++k)
            if (!row_.entries[k].is_wrong && row_.entries[k].times.failed_because.empty()) {
                works.push_back(std::move(works_[k]));
                entries.push_back(&row_.entries[k]);
            }
        const FileLock lock(options_.lock);
        measurement_->reset();
        const std::vector<Times> times = measurement_->time(works);
        for (std::size_t k = 0; k < times.size(); ++k) entries[k]->times = times[k];
        for (const Entry& entry : row_.entries)
            if (!entry.times.failed_because.empty()) row_.absent[entry.library] = entry.times.failed_because;
        std::erase_if(row_.entries, [](const Entry& entry) { return !entry.times.failed_because.empty(); });
    }

    Row row_;
    const Options& options_;
    std::unique_ptr<Measurement> measurement_;
    std::vector<Work> works_; ///< in the order of the row's entries
};

/// Its schedules are worth a line of each row.
bool is_swirls(const std::string& library) {
    return library == "swirl" || library.starts_with("swirl ") || library == measured_swirl;
}

/// A peer's times over swirl's.
struct Ratios {
    std::vector<double> sorted = {};
    double at(double fraction) const {
        return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1))];
    }
};

} // namespace

const Entry* Row::timed(const std::string& library) const {
    for (const Entry& entry : entries)
        if (entry.library == library && !entry.is_wrong) return &entry;
    return nullptr;
}

Row measure(const Problem& problem, Device& device, const std::vector<std::string>& peers,
            const Options& options) {
    try {
        return Contest(problem, device, options).run(peers);
    } catch (const Error& error) {
        return {.problem = problem, .absent = {{"swirl", first_line(error.what())}}};
    }
}

cli::Json RowWriter::operator()(const Row& row) {
    using cli::rounded;
    cli::Json json{{"problem", to_text(row.problem)}, {"flops", rounded(row.flops)}};
    if (row.floors.arithmetic > 0) json["floors"]["arithmetic"] = rounded(row.floors.arithmetic);
    if (row.floors.traffic > 0) json["floors"]["traffic"] = rounded(row.floors.traffic);
    json["libraries"] = cli::Json::object();
    for (const Entry& entry : row.entries) {
        cli::Json& library = json["libraries"][entry.library];
        if (entry.is_wrong)
            library["wrong"] = true;
        else
            library = {{"median", rounded(entry.times.median)}, {"minimum", rounded(entry.times.minimum)}};
        library["planning"] = rounded(entry.planning_seconds);
        library["distance"] = rounded(entry.distance);
        const bool is_new = std::exchange(made_by_[entry.library], entry.made_by) != entry.made_by;
        if (is_new || is_swirls(entry.library)) library["made_by"] = entry.made_by;
    }
    for (const auto& [library, reason] : row.absent)
        if (std::exchange(absent_[library], reason) != reason) json["absent"][library] = reason;
    return json;
}

std::string to_line(const Row& row) {
    std::string line = to_text(row.problem) + ":";
    const Entry* const swirl = row.timed("swirl");
    for (const Entry& entry : row.entries) {
        line += " " + entry.library;
        if (entry.is_wrong)
            line += fmt::format(" WRONG by {:.1e};", entry.distance);
        else if (&entry == swirl || swirl == nullptr)
            line += fmt::format(" {:.4g} us, {:.2f} Gflop/s, planned in {:.3g} s;", entry.times.median * 1e6,
                                row.flops / entry.times.median * 1e-9, entry.planning_seconds);
        else
            line += fmt::format(" {:.2f};", entry.times.median / swirl->times.median);
    }
    if (row.entries.empty())
        for (const auto& [library, reason] : row.absent) line += fmt::format(" {}: {};", library, reason);
    return line.substr(0, line.size() - 1);
}

std::string summary(const std::vector<Row>& rows) {
    std::map<std::string, Ratios> peers;
    std::map<std::string, std::string>
        absent; // reason → library, as one reason is often that of all problems
    for (const Row& row : rows) {
        for (const auto& [library, reason] : row.absent) absent[reason] = library;
        const Entry* const swirl = row.timed("swirl");
        for (const Entry& entry : row.entries)
            if (swirl != nullptr && &entry != swirl && !entry.is_wrong)
                peers[entry.library].sorted.push_back(entry.times.median / swirl->times.median);
    }
    cli::Table table({"time over swirl's", "problems", "below 0.95", "5th percentile", "median", "least",
                      "geometric mean"});
    for (auto& [name, ratios] : peers) {
        std::sort(ratios.sorted.begin(), ratios.sorted.end());
        const auto count = static_cast<double>(ratios.sorted.size());
        const auto slower =
            std::lower_bound(ratios.sorted.begin(), ratios.sorted.end(), 0.95) - ratios.sorted.begin();
        table.add({name, std::to_string(ratios.sorted.size()),
                   fmt::format("{:.0f}%", 100 * static_cast<double>(slower) / count),
                   fmt::format("{:.2f}", ratios.at(0.05)), fmt::format("{:.2f}", ratios.at(0.5)),
                   fmt::format("{:.2f}", ratios.at(0)),
                   fmt::format("{:.2f}", cli::geometric_mean(ratios.sorted))});
    }
    std::string text = peers.empty() ? "" : "\n" + table.text();
    for (const auto& [reason, library] : absent) text += fmt::format("{}: {}\n", library, reason);
    return text;
}

} // namespace swirl::bench
