#include "runtime/cpu/read_ahead.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <vector>

namespace swirl::runtime {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

void read_all(const std::filesystem::path& file, const std::stop_token& stop) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    std::vector<std::byte> block(block_bytes);
    while (!stop.stop_requested() && read(descriptor, block.data(), block.size()) > 0) {}
    close(descriptor);
}

} // namespace

bool is_in_memory(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return true;
    struct stat status {};
    const bool has_bytes = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* const mapping = has_bytes ? mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0) : MAP_FAILED;
    close(descriptor);
    if (mapping == MAP_FAILED) return true;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages((bytes + page - 1) / page);
    const bool is_known = mincore(mapping, bytes, pages.data()) == 0;
    munmap(mapping, bytes);
    return !is_known ||
           std::all_of(pages.begin(), pages.end(), [](unsigned char flags) { return (flags & 1) != 0; });
}

ReadAhead::ReadAhead(const std::filesystem::path& file) {
    if (is_in_memory(file)) return;
    try {
        reader_ = std::jthread([file](const std::stop_token& stop) { read_all(file, stop); });
    } catch (const std::system_error&) {} // no thread available
}

void ReadAhead::wait() {
    if (reader_.joinable()) reader_.join();
}

} // namespace swirl::runtime
