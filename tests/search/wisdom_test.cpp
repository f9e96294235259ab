#include "search/wisdom/wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "search/wisdom/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace swirl::search {
namespace wisdom_test {

namespace fs = std::filesystem;

/// Runs `f` in `count` new processes at once; whether all of them returned true.
template <class F> bool in_processes(int count, F&& f) {
    std::vector<pid_t> children;
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(f(i) ? 0 : 1);
        children.push_back(child);
    }
    bool all = true;
    for (const pid_t child : children) {
        int status = 0;
        all = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && all;
    }
    return all;
}

class WisdomFile : public testing::Test {
protected:
    Wisdom open() {
        return Wisdom(file, [this](std::string_view message) { warnings.emplace_back(message); });
    }
    std::size_t files_named(std::string_view part) const {
        const auto holds = [&](const fs::directory_entry& each) {
            return each.path().filename().string().find(part) != std::string::npos;
        };
        return static_cast<std::size_t>(std::count_if(fs::directory_iterator(folder.path()), {}, holds));
    }

    TemporaryFolder folder;
    fs::path file = folder.path() / "deeper" / "wisdom.sqlite";
    std::vector<std::string> warnings;
};

const WisdomKey key{"machine", "dft 1024"};
const WisdomEntry timed{"radix 32 32", 2e-6, FoundBy::measure, 1700000000, "0.1.0"};

WisdomEntry with_time(double seconds) {
    WisdomEntry entry = timed;
    entry.seconds = seconds;
    return entry;
}

TEST_F(WisdomFile, KeepsEntriesBetweenOpenings) {
    EXPECT_TRUE(open().store(key, timed));
    Wisdom again = open();
    EXPECT_EQ(again.find(key), timed);
    EXPECT_EQ(again.find({"other machine", key.problem}), std::nullopt);
    EXPECT_EQ(again.file(), file);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(WisdomFile, KeepsTheBetterOfTwoEntries) {
    Wisdom wisdom = open();
    WisdomEntry estimated = with_time(1e-9);
    estimated.found_by = FoundBy::estimate;
    EXPECT_TRUE(wisdom.store(key, estimated));
    EXPECT_TRUE(wisdom.store(key, timed)) << "timed is better than estimated, even if slower";
    EXPECT_FALSE(wisdom.store(key, estimated));
    EXPECT_FALSE(wisdom.store(key, with_time(3e-6)));
    EXPECT_TRUE(wisdom.store(key, with_time(1e-6)));
    EXPECT_EQ(wisdom.find(key)->seconds, 1e-6);
    EXPECT_TRUE(wisdom.replace(key, with_time(5e-6)));
    EXPECT_EQ(wisdom.find(key)->seconds, 5e-6);
}

TEST_F(WisdomFile, ComparesEntriesInTheDatabaseAsIsBetterDoes) {
    std::vector<WisdomEntry> entries;
    for (const FoundBy how : {FoundBy::estimate, FoundBy::shortlist, FoundBy::measure, FoundBy::exhaustive})
        for (const double seconds : {1.0, 2.0})
            for (const std::string& of : {std::string("v"), std::string(version())})
                entries.push_back({"r", seconds, how, 1, of});
    Wisdom wisdom(":memory:");
    for (const WisdomEntry& old : entries)
        for (const WisdomEntry& next : entries) {
            wisdom.replace(key, old);
            EXPECT_EQ(wisdom.store(key, next), is_better(next, old));
        }
}

TEST_F(WisdomFile, PrefersThisVersionAndExhaustiveSearches) {
    const auto entry = [](double seconds, FoundBy how, std::string of = {}) {
        return WisdomEntry{"r", seconds, how, 1, std::move(of)};
    };
    EXPECT_TRUE(is_better(entry(2, FoundBy::measure), entry(1, FoundBy::exhaustive, "0.0.1")));
    EXPECT_TRUE(is_better(entry(2, FoundBy::measure, "0.0.1"), entry(1, FoundBy::estimate)));
    EXPECT_TRUE(is_better(entry(2, FoundBy::exhaustive), entry(1, FoundBy::measure)));
    EXPECT_TRUE(is_better(entry(1, FoundBy::measure), entry(2, FoundBy::measure)));
}

TEST_F(WisdomFile, FillsInTimeAndVersion) {
    Wisdom wisdom = open();
    wisdom.store(key, {.schedule = "r", .seconds = 1});
    EXPECT_GT(wisdom.find(key)->created, 1700000000);
    EXPECT_FALSE(wisdom.find(key)->version.empty());
}

TEST_F(WisdomFile, ForgetsOneAllOfAMachineOrAll) {
    Wisdom wisdom = open();
    for (const char* machine : {"a", "b"})
        for (const char* problem : {"1", "2", "3"}) wisdom.store({machine, problem}, timed);
    wisdom.store_fact("a", "probe", "{}");
    EXPECT_EQ(wisdom.erase({"a", "2"}), 1);
    EXPECT_EQ(wisdom.erase({"a", "2"}), 0);
    EXPECT_EQ(wisdom.erase_device("a"), 2);
    wisdom.store({"a", "4"}, timed);
    wisdom.store({"a", "4, 2 threads"}, timed);
    wisdom.store({"a", "4 inplace"}, timed);
    EXPECT_EQ(wisdom.erase_problem("4"), 2) << "under all conditions";
    EXPECT_EQ(wisdom.erase_problem("4 inplace"), 1);
    EXPECT_EQ(wisdom.fact("a", "probe"), std::nullopt);
    EXPECT_EQ(wisdom.entries().size(), 3U);
    EXPECT_EQ(wisdom.erase_all(), 3);
    EXPECT_TRUE(wisdom.entries().empty());
}

TEST_F(WisdomFile, KeepsFactsAboutMachines) {
    Wisdom wisdom = open();
    EXPECT_EQ(wisdom.fact("m", "probe"), std::nullopt);
    wisdom.store_fact("m", "probe", "one");
    wisdom.store_fact("m", "probe", "two");
    EXPECT_EQ(open().fact("m", "probe"), "two");
}

TEST_F(WisdomFile, IsReadAgainWhenItChangesAfterItWasReadWhole) {
    constexpr std::chrono::milliseconds until_settled{2100};
    Wisdom reader = open(), writer = open();
    ASSERT_TRUE(writer.store(key, timed));
    std::this_thread::sleep_for(until_settled);
    for (int repetition = 0; repetition < 2; ++repetition)
        EXPECT_EQ(reader.find(key)->schedule, timed.schedule);
    EXPECT_FALSE(reader.find({"machine", "dft 2048"}).has_value());
    WisdomEntry faster = with_time(1e-6);
    faster.schedule = "radix 16 64";
    ASSERT_TRUE(writer.store(key, faster));
    EXPECT_EQ(reader.find(key)->schedule, faster.schedule);
    ASSERT_TRUE(reader.replace({"machine", "dft 2048"}, timed));
    EXPECT_EQ(reader.find({"machine", "dft 2048"})->schedule, timed.schedule);
    std::this_thread::sleep_for(until_settled);
    EXPECT_EQ(reader.find(key)->schedule, faster.schedule);
    fs::remove(file);
    EXPECT_FALSE(reader.find(key).has_value());
}

TEST_F(WisdomFile, TakesTextAsItIs) {
    const WisdomKey odd{"m'\"; DROP TABLE entries; --", std::string("a\0b", 3)};
    Wisdom wisdom = open();
    wisdom.store(odd, timed);
    EXPECT_EQ(wisdom.find(odd), timed);
    EXPECT_EQ(wisdom.entries().front().first, odd);
}

TEST_F(WisdomFile, RefusesEntriesWithoutScheduleOrTime) {
    Wisdom wisdom = open();
    EXPECT_THROW(wisdom.store(key, {.schedule = "", .seconds = 1}), InternalError);
    EXPECT_THROW(wisdom.store(key, with_time(-1)), InternalError);
    EXPECT_THROW(wisdom.store(key, with_time(std::numeric_limits<double>::quiet_NaN())), InternalError);
}

TEST_F(WisdomFile, ServesThreadsAtOnce) {
    Wisdom wisdom = open();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                wisdom.store({"m", std::to_string(i)}, with_time(1 + t));
                wisdom.find({"m", std::to_string(i)});
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto& [each, entry] : wisdom.entries()) EXPECT_EQ(entry.seconds, 1) << each.problem;
    EXPECT_EQ(wisdom.entries().size(), 10U);
}

TEST_F(WisdomFile, ServesProcessesThatCreateAndWriteItAtOnce) {
    constexpr int processes = 6;
    constexpr int problems = 12;
    const bool all = in_processes(processes, [&](int process) {
        bool warned = false;
        Wisdom wisdom(file, [&](std::string_view) { warned = true; });
        for (int i = 0; i < problems; ++i)
            wisdom.store({"m", std::to_string(i)}, with_time(1 + (process + i) % processes));
        return !warned && wisdom.file() == file;
    });
    EXPECT_TRUE(all);
    const auto entries = open().entries();
    EXPECT_EQ(entries.size(), static_cast<std::size_t>(problems));
    for (const auto& [each, entry] : entries)
        EXPECT_EQ(entry.seconds, 1) << "the best of all processes survives";
}

TEST_F(WisdomFile, StaysUsableInAChildProcess) {
    Wisdom wisdom = open();
    wisdom.store({"m", "parent"}, timed);
    EXPECT_TRUE(in_processes(3, [&](int i) {
        return wisdom.find({"m", "parent"}) == timed && wisdom.store({"m", std::to_string(i)}, timed);
    }));
    EXPECT_EQ(wisdom.entries().size(), 4U);
}

// ---- files that are not as they should be ---------------------------------------------------------------------

TEST_F(WisdomFile, MovesForeignFilesAside) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(5000, 'x');
    EXPECT_TRUE(open().store(key, timed));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("damaged"), std::string::npos);
    EXPECT_EQ(open().find(key), timed);
    std::size_t kept = 0;
    for (const fs::directory_entry& each : fs::directory_iterator(file.parent_path()))
        if (each.path().string().find(".damaged-") != std::string::npos) kept += each.file_size() == 5000U;
    EXPECT_EQ(kept, 1U) << "what was in the file is kept under another name";
}

/// Overwrites everything behind the first page, which holds the tables' contents.
void damage(const fs::path& file) {
    const auto size = fs::file_size(file);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(4096);
    const std::string garbage(size - 4096, '\xa5');
    stream.write(garbage.data(), static_cast<std::streamsize>(garbage.size()));
}

TEST_F(WisdomFile, RecoversWhenPagesInsideAreDamaged) {
    {
        Wisdom wisdom = open();
        for (int i = 0; i < 300; ++i) wisdom.store({"m", std::to_string(i)}, timed);
    }
    damage(file);
    Wisdom wisdom = open();
    EXPECT_EQ(wisdom.find({"m", "7"}), std::nullopt);
    EXPECT_TRUE(wisdom.store(key, timed));
    EXPECT_EQ(wisdom.file(), file);
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_EQ(open().entries().size(), 1U);
}

TEST_F(WisdomFile, IsMovedAsideOnceByConcurrentProcesses) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(5000, 'x');
    EXPECT_TRUE(in_processes(5, [&](int i) {
        Wisdom wisdom(file, [](std::string_view) {});
        return wisdom.store({"m", std::to_string(i)}, timed);
    }));
    std::size_t moved = 0;
    for (const fs::directory_entry& each : fs::directory_iterator(file.parent_path()))
        moved += each.path().string().find(".damaged-") != std::string::npos;
    EXPECT_EQ(moved, 1U);
    EXPECT_EQ(open().entries().size(), 5U);
}

TEST_F(WisdomFile, LeavesANewerFormatAlone) {
    open().store(key, timed);
    sqlite::Database(file).execute("PRAGMA user_version = 7; CREATE TABLE more (x)");
    {
        Wisdom wisdom = open();
        EXPECT_EQ(wisdom.file(), ":memory:");
        EXPECT_EQ(wisdom.find(key), std::nullopt);
        EXPECT_TRUE(wisdom.store(key, timed)) << "in memory";
        EXPECT_EQ(wisdom.find(key), timed);
    }
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("version 7"), std::string::npos);
    EXPECT_EQ(sqlite::Database(file).single_integer("SELECT count(*) FROM entries"), 1);
}

TEST_F(WisdomFile, LeavesAnotherProgramsDatabaseAlone) {
    fs::create_directories(file.parent_path());
    sqlite::Database(file).execute("CREATE TABLE photographs (x)");
    EXPECT_EQ(open().file(), ":memory:");
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_EQ(sqlite::Database(file).single_integer("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(WisdomFile, LivesInMemoryWhereNoFileCanBe) {
    file = folder.path() / "plain file" / "wisdom.sqlite";
    std::ofstream(folder.path() / "plain file") << "x";
    Wisdom wisdom = open();
    EXPECT_EQ(wisdom.file(), ":memory:");
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(wisdom.store(key, timed));
}

TEST_F(WisdomFile, FallsBackToMemory) {
    const fs::path loop = folder.path() / "loop", pipe = folder.path() / "pipe";
    fs::create_symlink(loop, loop);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
    for (const fs::path& path :
         {fs::path("/dev/null"), loop, loop / "wisdom.sqlite", folder.path(), pipe,
          folder.path() / std::string(300, 'x'), fs::path("/" + std::string(5000, 'x'))}) {
        file = path;
        warnings.clear();
        Wisdom wisdom = open();
        EXPECT_EQ(wisdom.file(), ":memory:") << path;
        EXPECT_TRUE(wisdom.store(key, timed));
        EXPECT_EQ(wisdom.find(key), timed);
        EXPECT_EQ(warnings.size(), 1U) << path;
    }
    EXPECT_FALSE(fs::exists("/dev/null.lock"));
}

TEST_F(WisdomFile, PlanningWorksWithoutAFile) {
    const fs::path loop = folder.path() / "loop";
    fs::create_symlink(loop, loop);
    for (const fs::path& path : {fs::path("/dev/null"), loop, folder.path() / std::string(300, 'x')}) {
        setenv("SWIRL_WISDOM", path.c_str(), 1);
        testing::internal::CaptureStderr();
        for (int k = 0; k < 2; ++k) {
            Wisdom* const wisdom = shared_wisdom(false);
            ASSERT_NE(wisdom, nullptr);
            EXPECT_EQ(wisdom->find(key), std::nullopt);
        }
        const std::string notice = testing::internal::GetCapturedStderr();
        EXPECT_EQ(std::count(notice.begin(), notice.end(), '\n'), 1) << notice;
    }
    unsetenv("SWIRL_WISDOM");
}

// ---- JSON lines -----------------------------------------------------------------------------------------------

TEST_F(WisdomFile, ComesBackWholeFromItsLines) {
    Wisdom first(":memory:");
    for (int i = 0; i < 20; ++i)
        first.store({"m \"q\" é", std::to_string(i)}, {"schedule\n" + std::to_string(i), 1.0 / (i + 3),
                                                       static_cast<FoundBy>(i % 3), 1000 + i, "v"});
    std::stringstream lines;
    EXPECT_EQ(first.export_lines(lines), 20);
    Wisdom second = open();
    const Wisdom::Imported imported = second.import_lines(lines);
    EXPECT_EQ(imported.stored, 20);
    EXPECT_TRUE(imported.unreadable.empty());
    EXPECT_EQ(second.entries(), first.entries());
}

TEST_F(WisdomFile, MergesByTheBetterTime) {
    Wisdom theirs(":memory:");
    theirs.store({"m", "faster here"}, with_time(5));
    theirs.store({"m", "faster there"}, with_time(1));
    theirs.store({"m", "only there"}, with_time(9));
    Wisdom ours = open();
    ours.store({"m", "faster here"}, with_time(2));
    ours.store({"m", "faster there"}, with_time(3));
    std::stringstream lines;
    theirs.export_lines(lines);
    const Wisdom::Imported imported = ours.import_lines(lines);
    EXPECT_EQ(imported.stored, 2);
    EXPECT_EQ(imported.unchanged, 1);
    EXPECT_EQ(ours.find({"m", "faster here"})->seconds, 2);
    EXPECT_EQ(ours.find({"m", "faster there"})->seconds, 1);
    EXPECT_EQ(ours.find({"m", "only there"})->seconds, 9);
}

TEST_F(WisdomFile, ReadsTheGoodLinesOfADamagedFile) {
    Wisdom source(":memory:");
    source.store(key, timed);
    std::stringstream good;
    source.export_lines(good);
    const std::string line = good.str();
    std::stringstream lines;
    lines
        << "\n"                                    // 1: blank
        << line                                    // 2: good
        << line.substr(0, line.size() / 2) << "\n" // 3: cut off
        << "[1, 2, 3]\n"                           // 4: no object
        << "{\"device\": \"m\"}\n"                 // 5: fields missing
        << std::string(100000, '[') << "\n"        // 6: deep
        << "\xff\xfe\n"                            // 7: no UTF-8
        << R"({"device":"m","problem":"p","schedule":"r","seconds":-1,"found_by":"measure","created":1,"version":"v"})"
        << "\n" // 8: negative time
        << R"({"device":"m","problem":"p","schedule":"r","seconds":1e999,"found_by":"measure","created":1,"version":"v"})"
        << "\n" // 9: no finite time
        << R"({"device":"m","problem":"p","schedule":"r","seconds":1,"found_by":"guess","created":1,"version":"v"})"
        << "\n" // 10: unknown way
        << R"({"device":"m","problem":"p","schedule":"r","seconds":1,"found_by":"measure","created":1,"version":"v","x":1})"
        << "\n"; // 11: good, with something more
    Wisdom wisdom = open();
    const Wisdom::Imported imported = wisdom.import_lines(lines);
    EXPECT_EQ(imported.unreadable, (std::vector<Integer>{3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(imported.stored, 2);
    EXPECT_EQ(wisdom.find(key), timed);
}

/// Bytes that change in a row of a sound database leave a row that no program has written.
TEST_F(WisdomFile, IgnoresMalformedRows) {
    for (const char* change : {"created = 0", "created = -5", "seconds = -1", "seconds = 9e999",
                               "version = ''", "schedule = ''", "device = ''", "problem = ''"}) {
        fs::remove(file);
        open().store(key, timed);
        const WisdomKey other{"machine", "dft 2048"};
        open().store(other, timed);
        {
            sqlite::Database database(file);
            database.execute(
                fmt::format("UPDATE entries SET {} WHERE problem = '{}'", change, key.problem).c_str());
        }
        Wisdom wisdom = open();
        EXPECT_EQ(wisdom.find(key), std::nullopt) << change;
        EXPECT_TRUE(wisdom.entries_for(key.problem).empty()) << change;
        EXPECT_EQ(wisdom.entries().size(), 1U) << change;
        std::stringstream lines;
        EXPECT_EQ(wisdom.export_lines(lines), 1) << change;
        EXPECT_TRUE(Wisdom(":memory:").import_lines(lines).unreadable.empty()) << change;
        EXPECT_TRUE(wisdom.store(key, timed)) << change;
        EXPECT_EQ(wisdom.find(key), timed) << change;
    }
}

// ---- where the file is ----------------------------------------------------------------------------------------

class WisdomLocation : public testing::Test {
protected:
    static constexpr const char* names[] = {"SWIRL_WISDOM", "XDG_CACHE_HOME", "HOME"};
    WisdomLocation() {
        for (const char* name : names) {
            const char* value = std::getenv(name);
            before.push_back(value != nullptr ? std::optional<std::string>(value) : std::nullopt);
            unsetenv(name);
        }
    }
    ~WisdomLocation() override {
        for (std::size_t i = 0; i < before.size(); ++i)
            before[i] ? setenv(names[i], before[i]->c_str(), 1) : unsetenv(names[i]);
    }
    std::vector<std::optional<std::string>> before;
};

/// As another copy of the library in this process would hold it, whose SQLite does not know of ours.
TEST_F(WisdomFile, IsNotSharedAcrossForks) {
    std::optional<Wisdom> wisdom(open());
    EXPECT_TRUE(wisdom->store(key, timed));
    const auto wait_of = [&](const auto& action) {
        const int lock = ::open((file.string() + ".lock").c_str(), O_RDWR | O_CLOEXEC);
        EXPECT_EQ(flock(lock, LOCK_SH), 0);
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            close(lock);
        });
        const auto begin = std::chrono::steady_clock::now();
        action();
        const auto end = std::chrono::steady_clock::now();
        other.join();
        return std::chrono::duration<double>(end - begin).count();
    };
    EXPECT_GT(wait_of([&] { EXPECT_TRUE(wisdom->find(key)); }), 0.09);
    EXPECT_GT(wait_of([&] { wisdom.reset(); }), 0.09);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(WisdomLocation, FollowsTheEnvironmentInOrder) {
    EXPECT_EQ(Wisdom::default_file(), ":memory:");
    setenv("HOME", "", 1);
    EXPECT_EQ(Wisdom::default_file(), ":memory:");
    setenv("HOME", "/home/me", 1);
    EXPECT_EQ(Wisdom::default_file(), "/home/me/.cache/swirl/wisdom.sqlite");
    setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
    EXPECT_EQ(Wisdom::default_file(), "/home/me/.cache/swirl/wisdom.sqlite");
    setenv("XDG_CACHE_HOME", "/cache", 1);
    EXPECT_EQ(Wisdom::default_file(), "/cache/swirl/wisdom.sqlite");
    setenv("SWIRL_WISDOM", "here.sqlite", 1);
    EXPECT_EQ(Wisdom::default_file(), "here.sqlite");
}

} // namespace wisdom_test
} // namespace swirl::search
