#include "search/wisdom/wisdom.hpp"

#include "base/cache_directory.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "search/wisdom/wisdom_store.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <tuple>
#include <utility>

namespace swirl::search {
namespace {

constexpr std::string_view upsert =
    "INSERT INTO entries (device, problem, schedule, seconds, found_by, created, version) VALUES "
    "(?,?,?,?,?,?,?) "
    "ON CONFLICT (device, problem) DO UPDATE SET schedule = excluded.schedule, seconds = excluded.seconds, "
    "found_by = excluded.found_by, created = excluded.created, version = excluded.version";

/// Not is_valid(old), or is_better(new, old), in SQL, so that comparing and storing are atomic across processes.
constexpr std::string_view only_if_better =
    " WHERE schedule = '' OR version = '' OR NOT (seconds >= 0 AND seconds < 9e999) OR NOT created > 0 OR "
    "(excluded.found_by > 0, excluded.version = ?, excluded.found_by, -excluded.seconds) > "
    "(found_by > 0, version = ?, found_by, -seconds)";

FoundBy found_by_of(Integer value) {
    return static_cast<FoundBy>(std::clamp<Integer>(value, 0, static_cast<Integer>(FoundBy::exhaustive)));
}

/// Reads columns schedule, seconds, found_by, created, version starting at `first`.
WisdomEntry entry_of(const sqlite::Statement& row, int first) {
    return {.schedule = row.text(first),
            .seconds = row.real(first + 1),
            .found_by = found_by_of(row.integer(first + 2)),
            .created = row.integer(first + 3),
            .version = row.text(first + 4)};
}

using Entries = std::vector<std::pair<WisdomKey, WisdomEntry>>;

constexpr std::string_view select_all =
    "SELECT device, problem, schedule, seconds, found_by, created, version FROM entries";

Entries all_of(sqlite::Statement query) {
    Entries result;
    while (query.step()) {
        WisdomKey key{query.text(0), query.text(1)};
        WisdomEntry entry = entry_of(query, 2);
        if (is_valid(key, entry)) result.emplace_back(std::move(key), std::move(entry));
    }
    return result;
}

/// The entry with this time and version where it names none.
WisdomEntry filled_in(WisdomEntry entry) {
    if (entry.created == 0) entry.created = static_cast<std::int64_t>(std::time(nullptr));
    if (entry.version.empty()) entry.version = version();
    return entry;
}

} // namespace

bool is_valid(const WisdomKey& key, const WisdomEntry& entry) {
    return !key.device.empty() && !key.problem.empty() && !entry.schedule.empty() && !entry.version.empty() &&
           std::isfinite(entry.seconds) && entry.seconds >= 0 && entry.created > 0;
}

bool is_better(const WisdomEntry& a, const WisdomEntry& b) {
    const auto rank = [](const WisdomEntry& entry) {
        const bool is_current = entry.version.empty() || entry.version == version();
        return std::tuple(entry.found_by != FoundBy::estimate, is_current, entry.found_by, -entry.seconds);
    };
    return rank(a) > rank(b);
}

bool Wisdom::Store::write(sqlite::Database& database, const WisdomKey& key, const WisdomEntry& given,
                          bool in_any_case) {
    const WisdomEntry entry = filled_in(given);
    ensure(is_valid(key, entry), "a wisdom entry for '{}' on '{}' without schedule or time", key.problem,
           key.device);
    sqlite::Statement statement = database.prepare(
        in_any_case ? std::string(upsert) : std::string(upsert) + std::string(only_if_better));
    statement.with(key.device).with(key.problem).with(entry.schedule).with(entry.seconds);
    statement.with(static_cast<Integer>(entry.found_by)).with(entry.created).with(entry.version);
    if (!in_any_case) statement.with(version()).with(version());
    statement.step();
    return database.changes() > 0;
}

namespace {

/// Larger files are searched, not kept in memory.
constexpr Integer most_entries_in_memory = 10000;
/// Nanoseconds. Clocks of file systems are no coarser, so a later change gets a later time.
constexpr std::int64_t clock_resolution = 2'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

} // namespace

auto Wisdom::Store::signature_of(const std::filesystem::path& file) -> std::optional<Signature> {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return std::nullopt;
    return Signature{.node = status.st_ino,
                     .device = status.st_dev,
                     .bytes = status.st_size,
                     .changed = std::max(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim))};
}

std::optional<WisdomEntry> Wisdom::Store::Snapshot::find(const WisdomKey& key) const {
    const auto at = entries.find(std::pair(key.device, key.problem));
    return at == entries.end() ? std::nullopt : std::optional(at->second);
}

std::optional<WisdomEntry> Wisdom::Store::find(const WisdomKey& key) {
    {
        const std::lock_guard guard(mutex_);
        if (snapshot_ && file_ != in_memory && signature_of(file_) == snapshot_->of)
            return snapshot_->find(key);
    }
    return use(std::optional<WisdomEntry>(),
               [&](sqlite::Database& database) { return found_in(database, key); });
}

std::optional<WisdomEntry> Wisdom::Store::found_in(sqlite::Database& database, const WisdomKey& key) {
    if (file_ != in_memory && take_snapshot(database)) return snapshot_->find(key);
    sqlite::Statement query = database.prepare(
        "SELECT schedule, seconds, found_by, created, version FROM entries WHERE device = ? AND problem = ?");
    if (!query.with(key.device).with(key.problem).step()) return std::nullopt;
    return entry_of(query, 0);
}

/// Under the lock that writers hold. A file that changed just now may change again within the resolution of its clock.
bool Wisdom::Store::take_snapshot(sqlite::Database& database) {
    snapshot_.reset();
    const std::optional<Signature> now = signature_of(file_);
    timespec clock{};
    clock_gettime(CLOCK_REALTIME, &clock);
    if (!now || now->changed > nanoseconds(clock) - clock_resolution) return false;
    if (database.single_integer("SELECT count(*) FROM entries") > most_entries_in_memory) return false;
    Snapshot snapshot{*now, {}};
    sqlite::Statement query = database.prepare(std::string(select_all));
    while (query.step())
        snapshot.entries.emplace(std::pair(query.text(0), query.text(1)), entry_of(query, 2));
    snapshot_ = std::move(snapshot);
    return true;
}

Wisdom::Wisdom(std::filesystem::path file, Warn warn)
    : store_(std::make_unique<Store>(std::move(file), std::move(warn))) {}
Wisdom::~Wisdom() = default;
Wisdom::Wisdom(Wisdom&&) noexcept = default;
Wisdom& Wisdom::operator=(Wisdom&&) noexcept = default;

std::filesystem::path Wisdom::default_file() {
    if (const char* own = environment_variable("SWIRL_WISDOM"); own != nullptr && *own != '\0') return own;
    const auto folder = cache_directory();
    return folder ? *folder / "wisdom.sqlite" : std::filesystem::path(":memory:");
}

std::filesystem::path Wisdom::file() const { return store_->file(); }

std::optional<WisdomEntry> Wisdom::find(const WisdomKey& key) {
    std::optional<WisdomEntry> entry = store_->find(key);
    return entry && is_valid(key, *entry) ? entry : std::nullopt;
}

bool Wisdom::store(const WisdomKey& key, const WisdomEntry& entry) {
    return store_->use(false,
                       [&](sqlite::Database& database) { return Store::write(database, key, entry, false); });
}

bool Wisdom::replace(const WisdomKey& key, const WisdomEntry& entry) {
    return store_->use(false,
                       [&](sqlite::Database& database) { return Store::write(database, key, entry, true); });
}

std::vector<std::pair<WisdomKey, WisdomEntry>> Wisdom::entries() {
    return store_->use(Entries(), [](sqlite::Database& database) {
        return all_of(database.prepare(std::string(select_all) + " ORDER BY device, problem"));
    });
}

std::vector<std::pair<WisdomKey, WisdomEntry>> Wisdom::entries_for(std::string_view problem) {
    return store_->use(Entries(), [&](sqlite::Database& database) {
        sqlite::Statement query =
            database.prepare(std::string(select_all) + " WHERE problem = ? ORDER BY device");
        query.with(problem);
        return all_of(std::move(query));
    });
}

Integer Wisdom::erase(const WisdomKey& key) {
    return store_->use(Integer{0}, [&](sqlite::Database& database) {
        database.prepare("DELETE FROM entries WHERE device = ? AND problem = ?")
            .with(key.device)
            .with(key.problem)
            .step();
        return database.changes();
    });
}

Integer Wisdom::erase_problem(std::string_view problem) {
    return store_->use(Integer{0}, [&](sqlite::Database& database) {
        const std::string with_conditions = std::string(problem) + ", ";
        database.prepare("DELETE FROM entries WHERE problem = ? OR substr(problem, 1, length(?)) = ?")
            .with(problem)
            .with(with_conditions)
            .with(with_conditions)
            .step();
        return database.changes();
    });
}

Integer Wisdom::erase_device(std::string_view device) {
    return store_->use(Integer{0}, [&](sqlite::Database& database) {
        sqlite::Transaction transaction(database);
        database.prepare("DELETE FROM facts WHERE device = ?").with(device).step();
        database.prepare("DELETE FROM entries WHERE device = ?").with(device).step();
        const Integer entries = database.changes();
        transaction.commit();
        return entries;
    });
}

Integer Wisdom::erase_all() {
    return store_->use(Integer{0}, [&](sqlite::Database& database) {
        sqlite::Transaction transaction(database);
        database.prepare("DELETE FROM facts").step();
        database.prepare("DELETE FROM entries WHERE true").step();
        const Integer entries = database.changes();
        transaction.commit();
        return entries;
    });
}

std::optional<std::string> Wisdom::fact(std::string_view device, std::string_view name) {
    return store_->use(std::optional<std::string>(),
                       [&](sqlite::Database& database) -> std::optional<std::string> {
                           sqlite::Statement query =
                               database.prepare("SELECT text FROM facts WHERE device = ? AND name = ?");
                           if (!query.with(device).with(name).step()) return std::nullopt;
                           return query.text(0);
                       });
}

void Wisdom::store_fact(std::string_view device, std::string_view name, std::string_view text) {
    store_->use(false, [&](sqlite::Database& database) {
        database.prepare("INSERT OR REPLACE INTO facts (device, name, text, created) VALUES (?,?,?,?)")
            .with(device)
            .with(name)
            .with(text)
            .with(static_cast<Integer>(std::time(nullptr)))
            .step();
        return true;
    });
}

} // namespace swirl::search
