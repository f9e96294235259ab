#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace swirl::fuzz {

/// The outcome of a case: a kind, for counting failures, and a line of text.
struct Failure : std::runtime_error {
    Failure(std::string kind_of_failure, const std::string& message)
        : std::runtime_error(message), kind(std::move(kind_of_failure)) {}
    std::string kind;
};

/// What is known of one worker, in memory that outlives it: what it is doing when it crashes, how far it has come, and what
/// has failed so far. Plain data, as parent and worker share it.
struct Record {
    static constexpr std::size_t kinds = 32, text_bytes = 4096;

    struct Kind {
        std::array<char, 64> name;
        std::uint64_t count;
    };

    std::atomic<std::uint64_t> next;    ///< the number of the case to begin with after this process
    std::atomic<std::uint64_t> cases;   ///< done
    std::atomic<std::uint64_t> refused; ///< that were not valid by chance, and were said not to be
    std::atomic<std::int64_t>
        began; ///< the present case, in milliseconds of the steady clock; 0 between cases
    std::array<char, text_bytes> doing; ///< the present case
    std::array<char, text_bytes> again; ///< the options that run it again
    std::array<Kind, kinds> failures;

    void count(std::string_view kind);
};

/// Where a worker writes down what it does. Lines of failures go to standard output at once.
class Journal {
public:
    explicit Journal(Record& record) : record_(record) {}

    void begin(const std::string& again);
    /// Replaces what is known of the present case: a problem in words, before code runs that might crash.
    void doing(const std::string& what);
    void refused() { ++record_.refused; }
    void fail(std::string_view kind, std::string_view message);
    void end();

private:
    Record& record_;
};

/// One line for a failure.
std::string line_of(std::string_view kind, std::string_view doing, std::string_view message,
                    std::string_view again);

/// Milliseconds of the steady clock.
std::int64_t now();

} // namespace swirl::fuzz
