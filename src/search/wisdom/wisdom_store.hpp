#pragma once

#include "base/fork_gate.hpp"
#include "search/wisdom/sqlite.hpp"
#include "search/wisdom/wisdom.hpp"

#include <sys/types.h>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

namespace swirl::search {

/// A lock on a separate file beside the database, held while the database is used, closed or replaced; waiting for it has a limit.
/// SQLite's own locks do not suffice. They do not cover replacement: a connection to a renamed file takes the journal of the new file of
/// that name for its own. And they belong to the process: if libswirl and libswirl_blas, each with its own SQLite, are in one process,
/// one that closes the file drops the locks of the other. No effect if the folder is not writable, because then nobody can write there.
class WisdomLock {
public:
    explicit WisdomLock(const std::filesystem::path& database);
    ~WisdomLock();
    WisdomLock(const WisdomLock&) = delete;
    WisdomLock& operator=(const WisdomLock&) = delete;

private:
    int descriptor_;
};

/// The database behind Wisdom: opens, creates and replaces it, and serialises access among threads.
class Wisdom::Store {
public:
    Store(std::filesystem::path file, Warn warn);
    ~Store();

    /// Calls f(database) with a valid database; on damage, once more with a fresh one. If it still fails (a lock held
    /// too long, a full disk), warns and returns `otherwise`.
    template <class Result, class F> Result use(Result otherwise, F&& f);

    /// The entry of a key, which need not be valid: from memory as long as the file stays as it was when all of it was read.
    std::optional<WisdomEntry> find(const WisdomKey& key);

    /// Stores an entry, unless the existing one is at least as good and `in_any_case` is false.
    static bool write(sqlite::Database& database, const WisdomKey& key, const WisdomEntry& entry,
                      bool in_any_case);

    std::filesystem::path file() const;

private:
    static constexpr const char* in_memory = ":memory:";

    /// The file cannot be used here; the message says why.
    class Unusable : public std::runtime_error {
    public:
        using std::runtime_error::runtime_error;
    };

    /// What changes whenever the file does, provided that its last change is not too recent for its clock.
    struct Signature {
        ino_t node = 0;
        dev_t device = 0;
        off_t bytes = 0;
        std::int64_t changed = 0; ///< in nanoseconds
        bool operator==(const Signature&) const = default;
    };
    static std::optional<Signature> signature_of(const std::filesystem::path& file);
    /// All entries of a small file, by device and problem.
    struct Snapshot {
        Signature of;
        std::map<std::pair<std::string, std::string>, WisdomEntry, std::less<>> entries;

        std::optional<WisdomEntry> find(const WisdomKey& key) const;
    };
    std::optional<WisdomEntry> found_in(sqlite::Database& database, const WisdomKey& key);
    bool take_snapshot(sqlite::Database& database);

    void warn(const std::string& message); ///< each message only once
    std::unique_ptr<WisdomLock> lock() const;
    void connect(); ///< to the file that exists now
    void open_file();
    void open_in_memory();
    void prepare_schema();
    void move_aside();

    mutable ForkSafeMutex mutex_;
    std::filesystem::path file_; ///< in use; ":memory:" if the requested file proved unusable
    Warn warn_;
    std::set<std::string> warned_;
    std::optional<sqlite::Database> database_;
    std::optional<Snapshot> snapshot_;
    pid_t owner_ = 0;  ///< process that opened the database
    ino_t node_ = 0;   ///< of the open file; a different inode under its name means that it was replaced
    dev_t device_ = 0; ///< device of `node_`
};

template <class Result, class F> Result Wisdom::Store::use(Result otherwise, F&& f) {
    const std::lock_guard guard(mutex_);
    for (int damages = 0;;) {
        try {
            const auto held = lock();
            connect();
            return f(*database_);
        } catch (const Unusable& error) {
            warn(std::string(error.what()) + "; what is learned now is not kept");
            open_in_memory();
            continue;
        } catch (const sqlite::Error& error) {
            if (!error.is_damage() || damages++ > 0) {
                warn(error.what());
                return otherwise;
            }
        }
        try {
            move_aside();
        } catch (const sqlite::Error& error) {
            warn(error.what());
            return otherwise;
        }
    }
}

} // namespace swirl::search
