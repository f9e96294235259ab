#include "search/wisdom/sqlite.hpp"

#include <sqlite3.h>

namespace swirl::search::sqlite {
namespace {

[[noreturn]] void fail(sqlite3* database, int code) {
    const char* message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    throw Error(code & 0xff, message);
}

} // namespace

bool Error::is_damage() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }

Error Error::locked() { return {SQLITE_BUSY, sqlite3_errstr(SQLITE_BUSY)}; }

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(const std::filesystem::path& path, Mode mode, int timeout) {
    const int flags =
        mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3* handle = nullptr;
    const int result = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    handle_.reset(handle);
    if (result != SQLITE_OK) fail(handle, result);
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, timeout);
}

void Database::execute(const char* statements) {
    const int result = sqlite3_exec(handle_.get(), statements, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) fail(handle_.get(), result);
}

Statement Database::prepare(std::string_view statement) { return Statement(handle_.get(), statement); }

Integer Database::single_integer(std::string_view query) {
    Statement statement = prepare(query);
    return statement.step() ? statement.integer(0) : 0;
}

Integer Database::changes() const { return sqlite3_changes64(handle_.get()); }

void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Statement::Statement(sqlite3* database, std::string_view text) : database_(database) {
    sqlite3_stmt* handle = nullptr;
    check(sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()), &handle, nullptr));
    handle_.reset(handle);
}

void Statement::check(int result) const {
    if (result != SQLITE_OK) fail(database_, result);
}

Statement& Statement::with(std::string_view text) {
    check(sqlite3_bind_text64(handle_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
    return *this;
}

Statement& Statement::with(Integer value) {
    check(sqlite3_bind_int64(handle_.get(), ++bound_, value));
    return *this;
}

Statement& Statement::with(double value) {
    check(sqlite3_bind_double(handle_.get(), ++bound_, value));
    return *this;
}

bool Statement::step() {
    const int result = sqlite3_step(handle_.get());
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) fail(database_, result);
    return false;
}

std::string Statement::text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(handle_.get(), column);
    const int size = sqlite3_column_bytes(handle_.get(), column);
    return bytes == nullptr
               ? std::string()
               : std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Integer Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }

Transaction::~Transaction() {
    if (!open_) return;
    try {
        database_.execute("ROLLBACK");
    } catch (const Error&) { // SQLite has rolled back automatically
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

} // namespace swirl::search::sqlite
