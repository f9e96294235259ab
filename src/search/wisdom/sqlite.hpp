#pragma once

#include "base/integer.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// The subset of SQLite that wisdom needs.
namespace swirl::search::sqlite {

class Error : public std::runtime_error {
public:
    Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    int code() const { return code_; } ///< SQLite's primary result code
    static Error locked();             ///< as SQLite's own when another process uses the file for too long
    bool is_damage() const;            ///< the file is not a database, or a corrupt one

private:
    int code_;
};

class Statement;

class Database {
public:
    enum class Mode { read_write, read_only };
    /// Opens or creates; ":memory:" is a private in-memory database. Waits up to `timeout` milliseconds for locks.
    explicit Database(const std::filesystem::path& path, Mode mode = Mode::read_write, int timeout = 5000);

    void execute(const char* statements);
    Statement prepare(std::string_view statement);
    Integer single_integer(std::string_view query);
    Integer changes() const; ///< rows that the last statement inserted, updated or deleted

    /// Abandons the connection without closing it: after fork(), SQLite forbids the child to touch the parent's.
    void abandon() { static_cast<void>(handle_.release()); }

private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };
    std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
public:
    Statement(sqlite3* database, std::string_view text);

    /// Binds the next parameter.
    Statement& with(std::string_view text);
    Statement& with(Integer value);
    Statement& with(double value);

    bool step(); ///< true: a row is available
    std::string text(int column) const;
    Integer integer(int column) const;
    double real(int column) const;

private:
    void check(int result) const;
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const;
    };
    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
    int bound_ = 0;
};

/// BEGIN IMMEDIATE … COMMIT; rolled back when it ends without commit().
class Transaction {
public:
    explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& database_;
    bool open_ = true;
};

} // namespace swirl::search::sqlite
