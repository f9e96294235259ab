#include "cli/run_swirl.hpp"
#include "runtime/kernel_cache.hpp"
#include "support/kernel_cache_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace swirl {
namespace cache_test {

using support::cache_key;
using support::content_of;
using support::kernel_code;
using support::names_in;
using support::quoted;

class CacheCommand : public support::CachedKernels {
protected:
    static support::Outcome run_with(const std::string& environment, const std::string& arguments) {
        return support::run_command(environment + " " + quoted(SWIRL_BINARY_DIR "/bin/swirl") + " cache " +
                                    arguments);
    }
    support::Outcome run(const std::string& arguments) const {
        return run_with("SWIRL_KERNEL_CACHE=" + quoted(folder.path().string()), arguments);
    }

    TemporaryFolder elsewhere;
    std::filesystem::path pack_file = elsewhere.path() / "kernels.pack";
    std::string pack = quoted(pack_file.string());
};

TEST_F(CacheCommand, ListsKernelsTheOneUsedLastFirst) {
    EXPECT_EQ(run("list").output.rfind("0 entries, 0 B of 256 MiB at most, in ", 0), 0U);
    for (int k = 0; k < 3; ++k) {
        store(k, 1000);
        set_age(k, std::chrono::hours(k == 1 ? 1 : 50));
    }
    support::write_content(file_of(2), "damaged");
    const auto listed = run("list");
    EXPECT_EQ(listed.status, 0) << listed.errors;
    for (const std::string& expected : {cache_key(0).text(), std::string("sm_90"), std::string("kernel 1"),
                                        std::string("(damaged)"), std::string("3 entries, ")})
        EXPECT_NE(listed.output.find(expected), std::string::npos) << listed.output;

    const auto json = nlohmann::json::parse(run("list --json").output);
    EXPECT_EQ(json["folder"], folder.path().string());
    ASSERT_EQ(json["kernels"].size(), 3U);
    const auto& second = json["kernels"][1];
    EXPECT_EQ(second["key"], cache_key(1).text());
    EXPECT_EQ(second["kernel"], "kernel 1");
    EXPECT_EQ(second["target"], "sm_90");
    EXPECT_EQ(second["bytes"], std::filesystem::file_size(file_of(1)));
    EXPECT_EQ(second["damage"], "");
    const auto age = std::time(nullptr) - second["last_use"].get<std::time_t>();
    EXPECT_GE(age, 3600);
    EXPECT_LE(age, 3600 + 300);
}

TEST_F(CacheCommand, VerifiesAndRemovesWhatIsDamaged) {
    for (int k = 0; k < 3; ++k) store(k, 1000);
    EXPECT_EQ(run("verify").output, "3 entries are whole, 0 are damaged\n");
    EXPECT_EQ(run("verify").status, 0);
    std::filesystem::resize_file(file_of(1), 500);
    const auto found = run("verify");
    EXPECT_EQ(found.status, 1);
    EXPECT_NE(found.output.find(file_of(1).string() + ": 500 bytes, its header says "), std::string::npos)
        << found.output;
    EXPECT_NE(found.output.find("2 entries are whole, 1 are damaged"), std::string::npos);
    EXPECT_TRUE(is_there(1));
    EXPECT_EQ(run("verify --remove").status, 0);
    EXPECT_FALSE(is_there(1));
    EXPECT_EQ(run("verify").output, "2 entries are whole, 0 are damaged\n");
    std::filesystem::create_directory(file_of(5));
    const auto stuck = run("verify --remove");
    EXPECT_EQ(stuck.status, 1);
    EXPECT_EQ(stuck.errors, "swirl: 1 of them cannot be removed\n");
}

TEST_F(CacheCommand, ClearsTheCacheAndSaysWhereItIs) {
    for (int k = 0; k < 3; ++k) store(k, 1000);
    EXPECT_EQ(run("path").output, folder.path().string() + "\n");
    EXPECT_EQ(run("clear").output, "3 entries removed\n");
    EXPECT_TRUE(names_in(folder).empty());
    EXPECT_EQ(run_with("SWIRL_KERNEL_CACHE= XDG_CACHE_HOME=/caches", "path").output,
              "/caches/swirl/kernels\n");
}

TEST_F(CacheCommand, ExportsAndImportsAllKernels) {
    for (int k = 0; k < 3; ++k) store(k, 1000);
    EXPECT_EQ(run("export " + pack).output, "3 entries exported\n");
    EXPECT_EQ(names_in(elsewhere), std::vector<std::string>{"kernels.pack"});
    run("clear");
    const auto imported = run("import " + pack);
    EXPECT_EQ(imported.status, 0) << imported.errors;
    EXPECT_EQ(imported.output, "3 entries imported\n");
    for (int k = 0; k < 3; ++k) EXPECT_EQ(cache.find(cache_key(k)), kernel_code(k, 1000));

    const auto nowhere = run_with("SWIRL_KERNEL_CACHE=/proc/swirl", "import " + pack);
    EXPECT_EQ(nowhere.status, 1);
    EXPECT_EQ(nowhere.errors, "swirl: 3 entries cannot be kept in /proc/swirl\n");
    EXPECT_EQ(run("export " + quoted((elsewhere.path() / "no" / "folder").string())).status, 1);
}

TEST_F(CacheCommand, ImportsNothingOfADamagedPack) {
    for (int k = 0; k < 3; ++k) store(k, 1000);
    run("export " + pack);
    run("clear");
    const std::string whole = content_of(pack_file);
    std::string damaged = whole;
    damaged[whole.size() - 10] ^= 1;
    for (const std::string& content :
         {damaged, whole.substr(0, whole.size() - 1), std::string("a poem"), std::string()}) {
        support::write_content(pack_file, content);
        const auto refused = run("import " + pack);
        EXPECT_EQ(refused.status, 2);
        EXPECT_EQ(refused.errors.rfind("swirl: " + pack_file.string() + " is ", 0), 0U) << refused.errors;
        EXPECT_TRUE(names_in(folder).empty());
    }
    const auto missing = run("import " + quoted((elsewhere.path() / "missing").string()));
    EXPECT_EQ(missing.status, 1);
    EXPECT_NE(missing.errors.find("cannot read"), std::string::npos) << missing.errors;
}

TEST_F(CacheCommand, SaysThatTheCacheIsOff) {
    for (const char* off : {"SWIRL_KERNEL_CACHE=off", "SWIRL_KERNEL_CACHE_MIB=0",
                            "HOME= XDG_CACHE_HOME= SWIRL_KERNEL_CACHE="}) {
        const auto outcome = run_with(off, "list");
        EXPECT_EQ(outcome.status, 2) << off;
        EXPECT_NE(outcome.errors.find("switched off"), std::string::npos) << outcome.errors;
    }
    for (const char* size : {"x", "-1", "1.5", "99999999999999999999", "256M"}) {
        const auto outcome = run_with("SWIRL_KERNEL_CACHE_MIB=" + std::string(size), "list");
        EXPECT_EQ(outcome.status, 2) << size;
        EXPECT_NE(outcome.errors.find("'" + std::string(size) + "'"), std::string::npos) << outcome.errors;
    }
    EXPECT_NE(run_with("SWIRL_KERNEL_CACHE=/proc/swirl SWIRL_KERNEL_CACHE_MIB=7", "list")
                  .output.find("7.00 MiB at most"),
              std::string::npos);
}

} // namespace cache_test
} // namespace swirl
