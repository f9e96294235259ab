#include "search/wisdom/shipped_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "plan/schedule.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/cpu/gemm.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/planner.hpp"
#include "search/wisdom/gpu_identity.hpp"
#include "search/wisdom/shipped_texts.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace swirl::search {
namespace shipped_wisdom_test {

/// By problem.
using Schedules = std::vector<std::pair<std::string, std::string>>;

/// Shipped wisdom for this host's CPU, and the user's own, which is empty at first.
class HostWisdom {
public:
    explicit HostWisdom(const Schedules& schedules) {
        std::ofstream file(shipped_file());
        file << "swirl wisdom 1\ndevice " << device_kind(host_key(this_host())) << '\n';
        std::vector<std::string> lines;
        for (const auto& [problem, schedule] : schedules)
            lines.push_back(fmt::format("{}\t{}: {}\t1.5\n", problem, target::host_cpu().name, schedule));
        std::sort(lines.begin(), lines.end());
        for (const std::string& line : lines) file << line;
        setenv("SWIRL_SHIPPED_WISDOM", shipped_file().c_str(), 1);
        setenv("SWIRL_WISDOM", users_file().c_str(), 1);
    }
    ~HostWisdom() {
        setenv("SWIRL_SHIPPED_WISDOM", "off", 1);
        unsetenv("SWIRL_WISDOM");
    }
    HostWisdom(const HostWisdom&) = delete;
    HostWisdom& operator=(const HostWisdom&) = delete;

    std::string users_file() const { return (folder_.path() / "wisdom.sqlite").string(); }

private:
    std::string shipped_file() const { return (folder_.path() / "shipped.txt").string(); }
    TemporaryFolder folder_;
};

std::string chosen(const std::string& problem, const Options& options = {}) {
    const std::string text =
        planning::to_string(choose_schedule(parse_problem(problem), &target::host_cpu(), options));
    return text.substr(text.find(": ") + 2);
}

bool has_device_kind() { return !device_kind(host_key(this_host())).empty(); }

TEST(ShippedWisdom, DecidesBeforeTheModelAndAfterTheUsersWisdom) {
    if (!has_device_kind()) GTEST_SKIP() << "this CPU has no family and model";
    const HostWisdom wisdom(Schedules{{"dft 64", "0 stockham(2,32)"}});
    EXPECT_EQ(chosen("dft 64"), "0 stockham(2,32)");
    EXPECT_NE(chosen("dft 64", {.use_wisdom = false}), "0 stockham(2,32)");
    const WisdomKey key{host_key(this_host()), "dft 64"};
    const std::string users = std::string(target::host_cpu().name) + ": 0 stockham(32,2)";
    Wisdom(wisdom.users_file()).store(key, {.schedule = users, .seconds = 1, .found_by = FoundBy::measure});
    EXPECT_EQ(chosen("dft 64"), "0 stockham(32,2)");
}

TEST(ShippedWisdom, DecidesNothingWhereNoPlanCanBeBuiltFromIt) {
    if (!has_device_kind()) GTEST_SKIP() << "this CPU has no family and model";
    const HostWisdom wisdom(Schedules{{"dft 640", "0 stockham(2,320)"}, {"dft 64", "0 no-such-rule(8)"}});
    for (const char* problem : {"dft 64", "dft 6400"})
        EXPECT_EQ(make_plan<planning::Plan>(parse_problem(problem))->schedule(),
                  make_plan<planning::Plan>(parse_problem(problem), {.use_wisdom = false})->schedule())
            << problem;
}

TEST(ShippedWisdom, ServesTheModelsOwnChoiceOfANeighbour) {
    if (!has_device_kind()) GTEST_SKIP() << "this CPU has no family and model";
    // Where the model was right, it decides about the neighbours.
    const std::string model = chosen("dft 240", {.use_wisdom = false});
    const HostWisdom wisdom(Schedules{{"dft 240", model}});
    for (const char* near : {"dft 240 backward", "dft 240 inplace"})
        EXPECT_EQ(chosen(near), chosen(near, {.use_wisdom = false})) << near;
}

TEST(ShippedWisdom, ANeighboursFastestScheduleIsTakenAsFarAsTheModelWasWrongThere) {
    if (!has_device_kind()) GTEST_SKIP() << "this CPU has no family and model";
    const Transform problem = std::get<Transform>(parse_problem("dft 240"));
    const target::Cpu& cpu = target::host_cpu();
    const planning::Schedule model = estimated_schedule(problem, cpu);
    // A schedule that the model rates worse than its own.
    for (const char* text : {"0 stockham(15,16)", "0 stockham(16,15)", "0 stockham(12,20)"}) {
        const planning::Schedule other =
            planning::parse_schedule(fmt::format("{}: {}", cpu.name, text), problem);
        const auto rated = pass_seconds(problem, other, cpu);
        if (other == model || !rated[0]) continue;
        const HostWisdom wisdom(Schedules{{"dft 240", text}});
        EXPECT_EQ(chosen("dft 240 backward"), text);
        return;
    }
    FAIL() << "the model rates none of them";
}

TEST(ShippedWisdom, FindsLinesByTheirProblem) {
    std::string text = "swirl wisdom 1\ndevice D\n";
    for (const char* line : {"dft 10\ta\t1\n", "dft 10 batch=4\tb\t2\n", "dft 10 inplace\tc\t3\n",
                             "dft 100\td\t4\n", "gemm 64x64x64 float32\te\t5\n", "gemm float32\tf\t6\n"})
        text += line;
    const ShippedWisdom wisdom(text);
    EXPECT_EQ(wisdom.device(), "D");
    EXPECT_EQ(wisdom.entries().size(), 6U);
    for (const ShippedEntry& entry : wisdom.entries())
        EXPECT_EQ(wisdom.find(entry.problem)->schedule, entry.schedule);
    for (const char* absent : {"dft 1", "dft 10 ", "a", "z", ""}) EXPECT_FALSE(wisdom.find(absent)) << absent;
    const auto near = [&](const char* problem) {
        std::string schedules;
        for (const ShippedEntry& entry : wisdom.neighbours(parse_problem(problem), 2))
            schedules += entry.schedule;
        return schedules;
    };
    EXPECT_EQ(near("dft 10 backward"), "ac");
    EXPECT_EQ(near("dft 10 batch=5"), "ba");
    EXPECT_EQ(near("dft 10 float32"), "");
    EXPECT_EQ(near("dft 20"), "");
    EXPECT_EQ(near("gemm 100x64x60 float32"), "e");
    EXPECT_EQ(near("gemm 200x64x64 float32"), "");
    EXPECT_EQ(near("gemm 64x64x64"), "");
}

TEST(ShippedWisdom, RefusesOtherFormats) {
    for (const char* text : {"", "swirl wisdom 2\ndevice D\n", "swirl wisdom 1\nfor D\n"})
        EXPECT_THROW(ShippedWisdom{text}, UserError) << text;
}

TEST(ShippedWisdom, KindsOfDevicesLeaveOutWhatChangesNoSchedule) {
    EXPECT_EQ(device_kind(gpu_key("NVIDIA H200", 9, 0, 132, 13010)),
              "NVIDIA H200, compute 9.0, 132 multiprocessors");
    EXPECT_EQ(device_kind(host_key({.model = "Intel(R) Xeon(R), any",
                                    .generation = "family 6 model 143 stepping 8",
                                    .instruction_set = "avx512",
                                    .caches = {}})),
              "family 6 model 143, avx512");
    EXPECT_EQ(device_kind("Any, family 6 model 207 stepping 2, avx512, L1 48 KiB"),
              "family 6 model 143, avx512");
    EXPECT_EQ(device_kind("processor of unknown kind, neon"), "");
}

TEST(ShippedWisdom, IsWrittenFromMeasuredEntriesOfOneKindOfDevice) {
    const std::string device = gpu_key("G", 9, 0, 4, 13000);
    const auto entry = [](const char* schedule, FoundBy found_by, const char* other_version = "") {
        return WisdomEntry{.schedule = schedule,
                           .seconds = 2.5e-6,
                           .found_by = found_by,
                           .created = 1,
                           .version = *other_version == '\0' ? std::string(version()) : other_version};
    };
    const std::pair<WisdomKey, WisdomEntry> entries[] = {
        {{device, "dft 8"}, entry("b", FoundBy::measure)},
        {{device, "dft 8, 2 threads"}, entry("c", FoundBy::measure)},
        {{device, "dft 16"}, entry("a", FoundBy::exhaustive)},
        {{device, "dft 9"}, entry("d", FoundBy::shortlist)},
        {{device, "dft 10"}, entry("e", FoundBy::measure, "0.0.1")},
        {{"other, family 1 model 2 stepping 3, avx2", "dft 11"}, entry("f", FoundBy::measure)},
    };
    std::ostringstream out;
    EXPECT_EQ(write_shipped(out, device_kind(device), entries), 2);
    EXPECT_EQ(out.str(),
              "swirl wisdom 1\ndevice G, compute 9.0, 4 multiprocessors\ndft 16\ta\t2.5\ndft 8\tb\t2.5\n");
}

/// A schedule that does not fit would be passed over in silence.
TEST(ShippedWisdom, OfTheLibraryIsSortedAndFitsItsProblems) {
    for (const std::string_view text : shipped_texts()) {
        const ShippedWisdom wisdom(text);
        SCOPED_TRACE(std::string(wisdom.device()));
        std::string before;
        for (const ShippedEntry& entry : wisdom.entries()) {
            const std::string line = fmt::format("{}\t", entry.problem);
            EXPECT_LT(before, line);
            before = line;
            EXPECT_GT(entry.seconds, 0) << line;
            const auto* const blocks = std::find_if(
                std::begin(tuned_types), std::end(tuned_types),
                [&](DataType type) { return entry.problem == fmt::format("gemm {}", name_of(type)); });
            const Problem problem = blocks != std::end(tuned_types) ? Problem(tuned_product(*blocks))
                                                                    : parse_problem(entry.problem);
            if (blocks == std::end(tuned_types)) {
                EXPECT_EQ(to_text(problem), entry.problem);
            }
            const planning::Schedule schedule = planning::parse_schedule(entry.schedule, problem);
            if (const auto* const transform = std::get_if<Transform>(&problem)) {
                if (planning::is_for_gpu(schedule))
                    planning::gpu_passes(*transform, schedule);
                else
                    planning::require_passes_for(schedule, planning::dimension_passes(*transform));
            }
        }
    }
}

} // namespace shipped_wisdom_test
} // namespace swirl::search
