#include "search/record.hpp"

#include "support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace swirl::search {
namespace record_test {

std::map<std::string, int> lines_of(const std::string& file) {
    std::map<std::string, int> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) ++lines[line];
    return lines;
}

TEST(PlanLog, HasWholeLinesOfManyThreadsAndProcessesOnceForEachProcess) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "planned.txt").string();
    constexpr int processes = 3, threads = 4, problems = 200;
    std::vector<pid_t> children;
    for (int k = 0; k < processes; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            PlanLog log(file);
            std::vector<std::thread> team;
            for (int t = 0; t < threads; ++t)
                team.emplace_back([&] {
                    for (int n = 1; n <= problems; ++n)
                        log.add(record_line(parse_problem(fmt::format("dft {}", n)), {}, 2));
                });
            for (std::thread& one : team) one.join();
            _exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    const auto lines = lines_of(file);
    EXPECT_EQ(lines.size(), std::size_t{problems});
    for (const auto& [line, count] : lines) {
        EXPECT_EQ(count, processes) << line;
        EXPECT_TRUE(line.starts_with("dft ") && line.ends_with("\tdevice=cpu threads=2")) << line;
    }
}

TEST(PlanLog, AForkedChildKnowsItsParentsLines) {
    const TemporaryFolder folder;
    PlanLog log((folder.path() / "planned.txt").string());
    log.add("dft 8");
    const pid_t child = fork();
    if (child == 0) {
        log.add("dft 8");
        log.add("dft 9");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(lines_of(log.file()), (std::map<std::string, int>{{"dft 8", 1}, {"dft 9", 1}}));
}

TEST(PlanLog, NamesDevicesAndThreads) {
    EXPECT_EQ(record_line(parse_problem("gemm 3x4x5 float32"), Device::gpu(1), 7),
              "gemm 3x4x5 float32\tdevice=gpu:1");
    EXPECT_EQ(record_line(parse_problem("rdft 12 batch=2"), Device::cpu(), 7),
              "rdft 12 batch=2\tdevice=cpu threads=7");
}

} // namespace record_test
} // namespace swirl::search
