#pragma once

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace swirl::support {

/// An array of any length with little memory behind it: its first and last MiB are memory of their own, all MiB between them
/// are the same one.
class SparseBytes {
public:
    static constexpr std::size_t piece = std::size_t{1} << 20;

    explicit SparseBytes(std::size_t bytes) : pieces_(std::max<std::size_t>(3, (bytes + piece - 1) / piece)) {
        const int file = memfd_create("sparse", 0);
        EXPECT_GE(file, 0);
        EXPECT_EQ(ftruncate(file, 3 * piece), 0);
        void* const reserved =
            mmap(nullptr, pieces_ * piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        EXPECT_NE(reserved, MAP_FAILED);
        data_ = static_cast<std::byte*>(reserved);
        for (std::size_t k = 0; k < pieces_; ++k) {
            const std::size_t source = k == 0 ? 0 : k + 1 == pieces_ ? 2 : 1;
            EXPECT_NE(mmap(data_ + k * piece, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                           static_cast<off_t>(source * piece)),
                      MAP_FAILED);
        }
        close(file);
    }
    ~SparseBytes() { munmap(data_, pieces_ * piece); }
    SparseBytes(const SparseBytes&) = delete;
    SparseBytes& operator=(const SparseBytes&) = delete;

    std::byte* data() const { return data_; }

private:
    std::size_t pieces_;
    std::byte* data_ = nullptr;
};

} // namespace swirl::support
