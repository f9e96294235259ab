#pragma once

#include "runtime/kernel_cache.hpp"
#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

namespace swirl::support {

/// The k-th key of a test.
inline runtime::CacheKey cache_key(int k) {
    const std::string text = std::to_string(k);
    const std::string_view parts[] = {text};
    return runtime::CacheKey::of(parts);
}

/// Bytes unique to kernel k.
inline runtime::Bytes kernel_code(int k, std::size_t bytes) {
    runtime::Bytes code(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        code[i] = static_cast<std::byte>(static_cast<std::size_t>(k) * 31 + i * i * 7);
    return code;
}

inline void write_content(const std::filesystem::path& file, std::string_view content) {
    std::ofstream(file, std::ios::binary) << content;
}

/// An empty cache of its own.
class CachedKernels : public testing::Test {
protected:
    std::filesystem::path file_of(int k) const { return folder.path() / (cache_key(k).text() + ".kernel"); }
    bool is_there(int k) const {
        return std::filesystem::exists(std::filesystem::symlink_status(file_of(k)));
    }
    bool store(int k, std::size_t bytes) {
        return cache.store(cache_key(k), {"sm_90", "kernel " + std::to_string(k)}, kernel_code(k, bytes));
    }
    /// Sets an entry's age, so that the order of uses does not depend on a clock.
    void set_age(int k, std::chrono::hours age) {
        std::filesystem::last_write_time(file_of(k), std::filesystem::file_time_type::clock::now() - age);
    }

    TemporaryFolder folder;
    runtime::KernelCache cache{folder.path()};
};

} // namespace swirl::support
