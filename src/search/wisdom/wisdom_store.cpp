#include "search/wisdom/wisdom_store.hpp"

#include "base/fork_gate.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

namespace swirl::search {
namespace {

constexpr Integer application = 0x7377726c; ///< "swrl", in the header of SQLite files
constexpr Integer schema_version = 3;

constexpr const char* schema = R"(
CREATE TABLE entries (
    device TEXT NOT NULL, problem TEXT NOT NULL, schedule TEXT NOT NULL, seconds REAL NOT NULL,
    found_by INTEGER NOT NULL, created INTEGER NOT NULL, version TEXT NOT NULL,
    PRIMARY KEY (device, problem)) WITHOUT ROWID;
CREATE TABLE facts (
    device TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, created INTEGER NOT NULL,
    PRIMARY KEY (device, name)) WITHOUT ROWID;
PRAGMA application_id = 1937207916;
PRAGMA user_version = 3;
)";
static_assert(application == 1937207916);

std::filesystem::path with_suffix(std::filesystem::path path, const std::string& suffix) {
    return path += suffix;
}

/// Reopens the file and checks every page: whether it is a sound database.
bool is_sound(const std::filesystem::path& path) {
    try {
        sqlite::Database database(path, sqlite::Database::Mode::read_only);
        sqlite::Statement check = database.prepare("PRAGMA quick_check(1)");
        return check.step() && check.text(0) == "ok";
    } catch (const sqlite::Error& error) {
        return !error.is_damage();
    }
}

} // namespace

WisdomLock::WisdomLock(const std::filesystem::path& database)
    : descriptor_(::open(with_suffix(database, ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    using namespace std::chrono_literals;
    constexpr std::chrono::milliseconds limit = 5s, longest_pause = 5ms;
    const auto end = std::chrono::steady_clock::now() + limit;
    std::chrono::microseconds pause = 50us; // as long as a look-up takes
    while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) break; // a file system without such locks
        if (std::chrono::steady_clock::now() > end) {
            close(descriptor_);
            throw sqlite::Error::locked();
        }
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(2 * pause, longest_pause);
    }
}

WisdomLock::~WisdomLock() {
    if (descriptor_ >= 0) close(descriptor_);
}

Wisdom::Store::Store(std::filesystem::path file, Warn warn) : file_(std::move(file)), warn_(std::move(warn)) {
    use(true, [](sqlite::Database&) { return true; });
}

Wisdom::Store::~Store() {
    if (!database_ || file_ == in_memory) return;
    try {
        if (owner_ == getpid()) {
            const WisdomLock held(file_);
            database_.reset();
            return;
        }
    } catch (const sqlite::
                 Error&) { // left open: closing it without the lock might drop the locks of another SQLite
    }
    database_->abandon();
}

void Wisdom::Store::warn(const std::string& message) {
    if (!warned_.insert(message).second) return;
    const std::string text = fmt::format("wisdom in {}: {}", file_.string(), message);
    if (warn_) return warn_(text);
    static constinit ForkSafeMutex printing;
    static auto& printed = *new std::set<std::string>; // by the whole process
    const std::lock_guard guard(printing);
    if (printed.insert(text).second) std::fprintf(stderr, "swirl: %s\n", text.c_str());
}

std::filesystem::path Wisdom::Store::file() const {
    const std::lock_guard guard(mutex_);
    return file_;
}

std::unique_ptr<WisdomLock> Wisdom::Store::lock() const {
    if (file_ == in_memory) return nullptr;
    struct stat status {};
    if (stat(file_.c_str(), &status) == 0) {
        if (!S_ISREG(status.st_mode)) throw Unusable("it is no regular file"); // opening a pipe would block
    } else if (errno != ENOENT) {
        throw Unusable(std::strerror(errno));
    }
    std::error_code ignored; // if the folder is still missing, opening fails
    if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
    return std::make_unique<WisdomLock>(file_);
}

/// Reconnects after fork(), which SQLite connections do not survive, and when the file was replaced or removed.
void Wisdom::Store::connect() {
    if (file_ == in_memory) {
        if (!database_) open_in_memory();
        return;
    }
    struct stat status {};
    const bool is_there =
        stat(file_.c_str(), &status) == 0 && status.st_ino == node_ && status.st_dev == device_;
    if (database_ && owner_ == getpid() && is_there) return;
    if (database_ && owner_ != getpid()) database_->abandon();
    database_.reset();
    try {
        open_file();
    } catch (const sqlite::Error& error) {
        database_.reset();
        if (error.is_damage()) throw;
        throw Unusable(error.what());
    }
}

void Wisdom::Store::open_file() {
    database_.emplace(file_);
    owner_ = getpid();
    prepare_schema();
    struct stat status {};
    if (stat(file_.c_str(), &status) != 0) throw Unusable(std::strerror(errno));
    node_ = status.st_ino;
    device_ = status.st_dev;
}

void Wisdom::Store::open_in_memory() {
    file_ = in_memory;
    database_.emplace(file_);
    prepare_schema();
}

/// Uses rollback journals instead of a write-ahead log: they work on network file systems too, and writes are rare.
/// Planning does not wait for the disk (20 ms and more per write): only a power failure right after a write can damage
/// the file; the damage is detected, and all contents can be recomputed.
void Wisdom::Store::prepare_schema() {
    sqlite::Database& database = *database_;
    database.execute("PRAGMA synchronous = OFF");
    const auto is_ready = [&] {
        // One statement sees one state of the file; three could see another process's partial update.
        sqlite::Statement state = database.prepare(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
            "FROM pragma_application_id, pragma_user_version");
        state.step();
        const Integer id = state.integer(0);
        const Integer version = state.integer(1);
        if (id == application && version == schema_version) return true;
        if (id == application)
            throw Unusable(fmt::format("version {} of the format, this program knows version {}", version,
                                       schema_version));
        if (id != 0 || version != 0 || state.integer(2) != 0) throw Unusable("a database of another program");
        return false;
    };
    if (is_ready()) return;
    sqlite::Transaction transaction(database);
    if (is_ready()) return; // another process was first
    database.execute(schema);
    transaction.commit();
}

/// Only one process renames, and only if the file of that name is still the damaged one. The journal is removed first,
/// so that it can never be applied to the new file.
void Wisdom::Store::move_aside() {
    const WisdomLock held(file_);
    database_.reset();
    if (is_sound(file_)) return;
    const std::string suffix = fmt::format(".damaged-{}-{}", std::time(nullptr), getpid());
    for (const char* companion : {"-journal", "-wal", "-shm", ""}) {
        const std::filesystem::path from = with_suffix(file_, companion);
        const std::filesystem::path to = with_suffix(with_suffix(file_, suffix), companion);
        if (std::rename(from.c_str(), to.c_str()) == 0 && *companion == '\0')
            warn(fmt::format("the file is damaged; it was moved to {} and a new one begun", to.string()));
    }
}

} // namespace swirl::search
