#pragma once

#include <filesystem>
#include <thread>

namespace swirl::runtime {

/// Whether the page cache holds the whole file, so that mapping it needs no disk access. Also true if the file does not
/// exist or the system cannot tell.
bool is_in_memory(const std::filesystem::path& file);

/// Reads a file that is not in the page cache on a separate thread, for a later user. Never fails: it only saves time.
class ReadAhead {
public:
    explicit ReadAhead(const std::filesystem::path& file);
    /// Does not wait for the end of the file.
    ~ReadAhead() = default;

    /// Waits until the whole file is read.
    void wait();

private:
    std::jthread reader_;
};

} // namespace swirl::runtime
