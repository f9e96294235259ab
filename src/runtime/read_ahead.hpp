#pragma once

#include <filesystem>
#include <thread>

namespace swirl::runtime {

/// Whether the system holds all of a file in memory, so that mapping it waits for no disk. Also where there is no such file,
/// or it cannot tell.
bool is_in_memory(const std::filesystem::path& file);

/// Reads a file in a thread of its own where it is not in memory, for somebody who will soon. Never fails: it only ever saves
/// time.
class ReadAhead {
public:
    explicit ReadAhead(const std::filesystem::path& file);
    /// Does not wait for the end of the file.
    ~ReadAhead() = default;

    /// Until it has read all.
    void wait();

private:
    std::jthread reader_;
};

} // namespace swirl::runtime
