#include "distributed/shared_area.hpp"

#include "distributed/message.hpp"
#include "distributed/work_array.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace swirl::distributed {

namespace {

/// The first line of a mapping, by which ranks know that it is the same memory.
using Token = std::array<std::uint64_t, 8>;

/// Where parts of so many bytes begin, after the token; then the end of all.
std::vector<std::size_t> offsets_of(const std::vector<std::size_t>& bytes) {
    constexpr std::size_t page = 4096;
    std::vector<std::size_t> offsets{page};
    for (const std::size_t part : bytes) offsets.push_back(offsets.back() + (part + page - 1) / page * page);
    return offsets;
}

class ProcessArea final : public SharedArea {
public:
    explicit ProcessArea(const std::vector<std::size_t>& offsets) : memory_(offsets.back()) {
        for (std::size_t rank = 0; rank + 1 < offsets.size(); ++rank)
            parts_.push_back(memory_.data() + offsets[rank]);
    }

private:
    WorkArray memory_;
};

class MappedArea final : public SharedArea {
public:
    /// Null if the file cannot be mapped.
    static std::shared_ptr<MappedArea> map(int file, const std::vector<std::size_t>& offsets) {
        void* const memory = mmap(nullptr, offsets.back(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) return nullptr;
        return std::shared_ptr<MappedArea>(new MappedArea(static_cast<std::byte*>(memory), offsets));
    }
    ~MappedArea() override { munmap(memory_, bytes_); }
    std::byte* token() const { return memory_; }

private:
    MappedArea(std::byte* memory, const std::vector<std::size_t>& offsets)
        : memory_(memory), bytes_(offsets.back()) {
        for (std::size_t rank = 0; rank + 1 < offsets.size(); ++rank)
            parts_.push_back(memory + offsets[rank]);
    }

    std::byte* memory_;
    std::size_t bytes_;
};

/// A file of common memory that has no name any more once its maker is destroyed.
class NamedMemory {
public:
    explicit NamedMemory(std::size_t bytes) {
        std::random_device random;
        for (std::uint64_t& word : token_) word = std::uint64_t{random()} << 32 | random();
        const std::string name = fmt::format("/swirl-{:016x}{:016x}", token_[0], token_[1]);
        file_ = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        if (file_ < 0) return;
        name_ = name;
        // reserved now: a page that is missing later would be a signal
        if (posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0) {
            close(std::exchange(file_, -1));
        }
    }
    ~NamedMemory() {
        if (file_ >= 0) close(file_);
        if (!name_.empty()) shm_unlink(name_.c_str());
    }
    NamedMemory(const NamedMemory&) = delete;
    NamedMemory& operator=(const NamedMemory&) = delete;

    int file() const { return file_; }
    const Token& token() const { return token_; }

private:
    Token token_{};
    std::string name_;
    int file_ = -1;
};

std::shared_ptr<SharedArea> shared_in_process(Communicator& communicator,
                                              const std::vector<std::size_t>& offsets) {
    std::shared_ptr<SharedArea> own;
    if (communicator.rank() == 0) own = std::make_shared<ProcessArea>(offsets);
    const std::shared_ptr<SharedArea>* const address = &own;
    const auto all = communicator.gather_all(message_of(std::array{address}));
    const std::shared_ptr<SharedArea>* first = nullptr;
    std::memcpy(&first, all.front().data(), sizeof first);
    std::shared_ptr<SharedArea> area = *first;
    communicator.barrier(); // rank 0 has it until all do
    return area;
}

std::shared_ptr<SharedArea> shared_by_mapping(Communicator& communicator,
                                              const std::vector<std::size_t>& offsets) {
    std::optional<NamedMemory> made;
    std::shared_ptr<MappedArea> area;
    Token token{};
    if (communicator.rank() == 0) {
        made.emplace(offsets.back());
        if (made->file() >= 0) area = MappedArea::map(made->file(), offsets);
        if (area) {
            token = made->token();
            std::memcpy(area->token(), token.data(), sizeof token);
        }
    }
    std::memcpy(token.data(), communicator.gather_all(message_of(token)).front().data(), sizeof token);
    if (token != Token{} && communicator.rank() != 0) {
        const std::string name = fmt::format("/swirl-{:016x}{:016x}", token[0], token[1]);
        if (const int file = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0); file >= 0) {
            area = MappedArea::map(file, offsets);
            close(file);
        }
        if (area && std::memcmp(area->token(), token.data(), sizeof token) != 0) area = nullptr;
    }
    for (const auto& has_it : communicator.gather_all({static_cast<std::byte>(area != nullptr)}))
        if (has_it.front() == std::byte{0}) return nullptr;
    return area;
}

} // namespace

std::shared_ptr<SharedArea> share_memory(Communicator& communicator, std::size_t bytes) {
    if (communicator.shared_memory() == SharedMemory::none) return nullptr;
    std::vector<std::size_t> all;
    for (const auto& message : communicator.gather_all(message_of(std::array{bytes}))) {
        all.emplace_back();
        std::memcpy(&all.back(), message.data(), sizeof(std::size_t));
    }
    const std::vector<std::size_t> offsets = offsets_of(all);
    return communicator.shared_memory() == SharedMemory::address_space
               ? shared_in_process(communicator, offsets)
               : shared_by_mapping(communicator, offsets);
}

} // namespace swirl::distributed
