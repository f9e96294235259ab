#include "runtime/kernel_cache.hpp"
#include "support/kernel_cache_fixture.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

namespace swirl::runtime {
namespace kernel_cache_test {

using support::cache_key;
using support::CachedKernels;
using support::content_of;
using support::kernel_code;
using support::names_in;
using support::write_content;
namespace fs = std::filesystem;

TEST(CacheKey, IsReadBackFromItsText) {
    for (int k = 0; k < 100; ++k) EXPECT_EQ(CacheKey::parse(cache_key(k).text()), cache_key(k));
    EXPECT_EQ((CacheKey{0, 1}.text()), "00000000000000000000000000000001");
    for (const char* none : {"", "1", "0000000000000000000000000000000g", "0000000000000000000000000000000A",
                             "000000000000000000000000000000001", "-0000000000000000000000000000001"})
        EXPECT_EQ(CacheKey::parse(none), std::nullopt) << none;
}

TEST(CacheKey, DistinguishesFieldBoundaries) {
    using Parts = std::vector<std::string_view>;
    const std::vector<Parts> all = {{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"2:ab"}};
    std::set<CacheKey> keys;
    for (const Parts& parts : all) keys.insert(CacheKey::of(parts));
    EXPECT_EQ(keys.size(), all.size());
}

TEST_F(CachedKernels, AreFoundAsTheyWereStored) {
    EXPECT_EQ(cache.find(cache_key(1)), std::nullopt);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20}) {
        ASSERT_TRUE(store(1, bytes));
        EXPECT_EQ(KernelCache(folder.path()).find(cache_key(1)), kernel_code(1, bytes));
    }
    EXPECT_EQ(cache.find(cache_key(2)), std::nullopt);
    EXPECT_EQ(names_in(folder), std::vector<std::string>{file_of(1).filename().string()})
        << "nothing is left beside it";
    EXPECT_TRUE(cache.drop(cache_key(1)));
    EXPECT_EQ(cache.find(cache_key(1)), std::nullopt);
}

TEST_F(CachedKernels, MayBeLarge) {
    constexpr std::size_t bytes =
        (std::size_t{5} << 20) + 3; // beyond one of the large pages that it is read into
    ASSERT_TRUE(store(1, bytes));
    EXPECT_EQ(cache.find(cache_key(1)), kernel_code(1, bytes));
}

TEST_F(CachedKernels, MakeTheirFolder) {
    KernelCache deeper(folder.path() / "a" / "b");
    EXPECT_TRUE(deeper.entries().empty());
    EXPECT_TRUE(deeper.store(cache_key(1), {}, kernel_code(1, 10)));
    EXPECT_TRUE(deeper.find(cache_key(1)));
}

TEST_F(CachedKernels, AreListedByLastUse) {
    for (int k = 0; k < 4; ++k) {
        store(k, 100);
        set_age(k, std::chrono::hours(10 + k));
    }
    cache.find(cache_key(2));
    write_content(folder.path() / "README.kernel", "not by the name of an entry");
    for (int round = 0; round < 2; ++round) { // listing is no use
        const auto entries = cache.entries();
        ASSERT_EQ(entries.size(), 4U);
        const int order[] = {2, 0, 1, 3};
        for (std::size_t byte = 0; byte < 4; ++byte) {
            EXPECT_EQ(entries[byte].key, cache_key(order[byte]));
            EXPECT_EQ(entries[byte].label, (KernelLabel{"sm_90", "kernel " + std::to_string(order[byte])}));
            EXPECT_EQ(entries[byte].bytes, fs::file_size(file_of(order[byte])));
            EXPECT_EQ(entries[byte].damage, "");
        }
    }
}

TEST_F(CachedKernels, DamagedAnywhereAreDroppedAndStoredAnew) {
    ASSERT_TRUE(store(1, 40));
    const std::string whole = content_of(file_of(1));
    const auto expect_dropped = [&](const std::string& content, const std::string& how) {
        write_content(file_of(1), content);
        ASSERT_EQ(cache.entries().size(), 1U) << how;
        EXPECT_NE(cache.entries()[0].damage, "") << how;
        EXPECT_EQ(cache.find(cache_key(1)), std::nullopt) << how;
        EXPECT_FALSE(is_there(1)) << how;
    };
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        expect_dropped(whole.substr(0, bytes), std::to_string(bytes) + " bytes are left");
    expect_dropped(whole + '\0', "one byte more");
    for (std::size_t byte = 0; byte < whole.size(); ++byte)
        for (int bit = 0; bit < 8; ++bit) {
            std::string flipped = whole;
            flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << bit));
            expect_dropped(flipped, "bit " + std::to_string(bit) + " of byte " + std::to_string(byte));
        }
    ASSERT_TRUE(store(1, 40));
    EXPECT_EQ(content_of(file_of(1)), whole);
}

TEST_F(CachedKernels, OfAnotherKeyOrKindAreDropped) {
    ASSERT_TRUE(store(1, 40));
    fs::copy_file(file_of(1), file_of(2));
    EXPECT_NE(cache.entries()[0].damage + cache.entries()[1].damage, "");
    EXPECT_EQ(cache.find(cache_key(2)), std::nullopt);
    fs::create_symlink(file_of(1), file_of(3));
    EXPECT_EQ(cache.find(cache_key(3)), std::nullopt) << "a link could lead anywhere";
    ASSERT_EQ(mkfifo(file_of(4).c_str(), 0600), 0);
    EXPECT_EQ(cache.find(cache_key(4)), std::nullopt) << "nobody waits for a pipe";
    for (const int k : {2, 3, 4}) EXPECT_FALSE(is_there(k)) << k;
    fs::create_directory(file_of(5));
    EXPECT_EQ(cache.find(cache_key(5)), std::nullopt);
    EXPECT_FALSE(store(5, 10)) << "but nothing of another's is lost";
    EXPECT_EQ(cache.find(cache_key(1)), kernel_code(1, 40));
}

TEST_F(CachedKernels, ThatOthersMayHaveWrittenAreDropped) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
        ASSERT_TRUE(store(1, 100));
        fs::permissions(file_of(1), others, fs::perm_options::add);
        EXPECT_EQ(cache.entries().at(0).damage, "others may have written it");
        EXPECT_EQ(cache.find(cache_key(1)), std::nullopt);
        EXPECT_FALSE(is_there(1));
    }
    ASSERT_TRUE(store(1, 100));
    EXPECT_EQ(fs::status(file_of(1)).permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none);
    EXPECT_TRUE(cache.find(cache_key(1)));
}

TEST_F(CachedKernels, EvictLeastRecentlyUsed) {
    constexpr std::uint64_t limit = 100'000;
    KernelCache small(folder.path(), limit);
    const auto bytes = [&] {
        std::uint64_t total = 0;
        for (const auto& entry : small.entries()) total += entry.bytes;
        return total;
    };
    for (int k = 0; k < 9; ++k) {
        small.store(cache_key(k), {}, kernel_code(k, 10'000));
        set_age(k, std::chrono::hours(20 - k));
    }
    EXPECT_EQ(small.entries().size(), 9U);
    small.find(cache_key(0));
    small.store(cache_key(9), {}, kernel_code(9, 10'000));
    EXPECT_LE(bytes(), limit);
    EXPECT_TRUE(is_there(0)) << "just used";
    EXPECT_FALSE(is_there(1));
    EXPECT_TRUE(is_there(8));
    EXPECT_TRUE(is_there(9));
    for (int k = 10; k < 200; ++k) {
        small.store(cache_key(k), {}, kernel_code(k, static_cast<std::size_t>(k) * 50));
        ASSERT_LE(bytes(), limit) << k;
        ASSERT_GT(bytes(), limit / 2) << k;
    }
    EXPECT_FALSE(small.store(cache_key(1), {}, kernel_code(1, limit))) << "larger than all together may be";
    EXPECT_LE(bytes(), limit);
    EXPECT_GT(bytes(), limit / 2);
}

TEST_F(CachedKernels, OfAStoppedWriterAreRemovedInTime) {
    const fs::path old = folder.path() / ".writing-old", fresh = folder.path() / ".writing-fresh";
    write_content(old, "half a kernel");
    write_content(fresh, "half a kernel");
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
    EXPECT_TRUE(store(1, 10));
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(fresh)) << "somebody may be writing it";
    EXPECT_EQ(cache.clear().removed, 1U);
    EXPECT_TRUE(names_in(folder).empty());
}

TEST_F(CachedKernels, ClearingLeavesWhatIsNoKernel) {
    for (int k = 0; k < 5; ++k) store(k, 10);
    write_content(folder.path() / "notes", "mine");
    fs::create_directory(file_of(7));
    const auto [removed, left] = cache.clear();
    EXPECT_EQ(removed, 5U);
    EXPECT_EQ(left, 1U);
    EXPECT_EQ(names_in(folder).size(), 2U);
}

TEST(KernelCache, ThatCannotBeWrittenKeepsNothing) {
    for (const char* nowhere : {"/proc/swirl/kernels", "/dev/null", "/dev/null/kernels"}) {
        KernelCache cache(nowhere);
        EXPECT_FALSE(cache.store(cache_key(1), {}, kernel_code(1, 10))) << nowhere;
        EXPECT_EQ(cache.find(cache_key(1)), std::nullopt) << nowhere;
        EXPECT_TRUE(cache.entries().empty()) << nowhere;
        EXPECT_EQ(cache.clear().removed, 0U) << nowhere;
    }
}

TEST_F(CachedKernels, AreReadFromReadOnlyFolders) {
    ASSERT_TRUE(store(1, 10));
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(file_of(1), fs::perms::owner_read);
    EXPECT_EQ(cache.find(cache_key(1)), kernel_code(1, 10));
    if (geteuid() != 0) {
        EXPECT_FALSE(store(2, 10));
        EXPECT_EQ(cache.clear().left, 1U);
    }
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_F(CachedKernels, FullDisksLeaveNoFiles) {
    ASSERT_TRUE(store(1, 100'000));
    struct rlimit before {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small { 4096, before.rlim_max };
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool is_stored = store(1, 50'000);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_FALSE(is_stored);
    EXPECT_EQ(names_in(folder).size(), 1U);
    EXPECT_EQ(cache.find(cache_key(1)), kernel_code(1, 100'000)) << "what was there stays";
}

/// Stores and finds until all has been tried; whether only ever whole kernels were found.
bool use_all_at_once(KernelCache& cache, int seed) {
    constexpr int keys = 12;
    constexpr int uses = 300;
    const auto bytes = [](int k) { return static_cast<std::size_t>(1000 * k + 1); };
    bool is_good = true;
    unsigned state = static_cast<unsigned>(seed);
    for (int use = 0; use < uses; ++use) {
        state = state * 1664525U + 1013904223U;
        const int k = static_cast<int>(state >> 16) % keys;
        if (const auto code = cache.find(cache_key(k))) {
            is_good = is_good && *code == kernel_code(k, bytes(k));
        } else {
            cache.store(cache_key(k), {}, kernel_code(k, bytes(k)));
        }
        if (use % 50 == seed % 50) cache.drop(cache_key(k));
    }
    return is_good;
}

TEST_F(CachedKernels, AreWholeForManyThreadsAndProcessesAtOnce) {
    constexpr std::uint64_t limit = 40'000; // less than all together, so that some are removed meanwhile
    std::vector<pid_t> children;
    for (int child = 0; child < 3; ++child) {
        const pid_t process = fork();
        ASSERT_GE(process, 0);
        if (process == 0) {
            KernelCache own(folder.path(), limit);
            _exit(use_all_at_once(own, 100 + child) ? 0 : 1);
        }
        children.push_back(process);
    }
    KernelCache shared(folder.path(), limit);
    std::array<bool, 4> is_good{};
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back(
                [&, thread] { is_good[static_cast<std::size_t>(thread)] = use_all_at_once(shared, thread); });
    }
    for (const bool good : is_good) EXPECT_TRUE(good);
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    for (const auto& entry : shared.entries()) EXPECT_EQ(entry.damage, "") << entry.file;
    for (const std::string& name : names_in(folder)) EXPECT_TRUE(name.ends_with(".kernel")) << name;
}

} // namespace kernel_cache_test
} // namespace swirl::runtime
