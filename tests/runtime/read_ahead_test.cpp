#include "runtime/cpu/read_ahead.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace swirl::runtime {
namespace read_ahead_test {

/// Asks the system to forget a file, which it may or may not do.
void evict(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY);
    ASSERT_GE(descriptor, 0);
    fsync(descriptor);
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    close(descriptor);
}

TEST(FilesReadAhead, AreInMemory) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "library";
    std::ofstream(file) << std::string(std::size_t{9} << 20, 'x');
    EXPECT_TRUE(is_in_memory(file)) << "as it was just written";
    evict(file);
    ReadAhead(file).wait();
    EXPECT_TRUE(is_in_memory(file));
}

TEST(FilesReadAhead, NeedNotBeReadToTheEnd) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "library";
    std::ofstream(file) << std::string(std::size_t{9} << 20, 'x');
    evict(file);
    const ReadAhead left_alone(file);
}

TEST(FilesReadAhead, NeedNotBeThere) {
    const TemporaryFolder folder;
    for (const char* name : {"nothing", "."}) ReadAhead(folder.path() / name).wait();
    std::ofstream(folder.path() / "empty");
    ReadAhead(folder.path() / "empty").wait();
    EXPECT_TRUE(is_in_memory(folder.path() / "nothing"));
}

} // namespace read_ahead_test
} // namespace swirl::runtime
