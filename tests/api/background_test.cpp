// Plans that answer at once and are tuned while the program runs.

#include "api/c_interface.hpp"
#include "support/error_of.hpp"
#include "support/forked_child.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace swirl {
namespace background_test {

using Complex = std::complex<double>;
constexpr double enough = 120; ///< seconds for any search here

void sleep_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

std::vector<Complex> numbers(std::size_t count) {
    std::vector<Complex> result(count);
    for (std::size_t k = 0; k < count; ++k)
        result[k] = {static_cast<double>(k * 7919 % 101) / 7, static_cast<double>(k * 104729 % 97) / 3};
    return result;
}

std::vector<Complex> transformed(const Plan& plan, std::size_t count) {
    const std::vector<Complex> x = numbers(count);
    std::vector<Complex> y(count);
    plan.execute(x, y);
    return y;
}

bool are_close(const std::vector<Complex>& a, const std::vector<Complex>& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
        if (!(std::abs(a[k] - b[k]) < 1e-9 * static_cast<double>(a.size()))) return false;
    return a.size() == b.size();
}

/// Keeps the thread of the searches in a function of a plan's options until the end of its scope.
class BusySearch {
public:
    BusySearch() {
        static_cast<void>(plan("dft 96", {.effort = Effort::background,
                                          .time_budget_seconds = 0.01,
                                          .progress = [state = state_](const std::string&) {
                                              state->has_begun = true;
                                              while (!state->is_released) sleep_briefly();
                                          }}));
        while (!state_->has_begun) sleep_briefly();
    }
    ~BusySearch() { release(); }
    BusySearch(const BusySearch&) = delete;
    BusySearch& operator=(const BusySearch&) = delete;
    void release() { state_->is_released = true; }

private:
    struct State {
        std::atomic<bool> has_begun = false, is_released = false;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

class Background : public testing::Test {
protected:
    void SetUp() override {
        setenv("SWIRL_WISDOM", (folder_.path() / "wisdom.sqlite").c_str(), 1);
        device_ = device_in_wisdom();
        wisdom::forget_all();
    }
    void TearDown() override {
        background::stop();
        unsetenv("SWIRL_WISDOM");
    }

    static std::string exported() {
        std::ostringstream lines;
        wisdom::export_to(lines);
        return lines.str();
    }
    static std::string text_in(const std::string& line, const std::string& name) {
        const std::string before = "\"" + name + "\":\"";
        const std::size_t first = line.find(before) + before.size();
        return line.substr(first, line.find('"', first) - first);
    }
    static std::string device_in_wisdom() {
        for (double seconds = 0.05; exported().empty(); seconds *= 2) // a busy machine may time nothing
            static_cast<void>(plan("dft 30", {.effort = Effort::measure, .time_budget_seconds = seconds}));
        return text_in(exported(), "device");
    }
    /// As if a search had found it.
    void find(const std::string& problem, const std::string& schedule) const {
        std::istringstream line(R"({"device":")" + device_ + R"(","problem":")" + problem +
                                R"(","schedule":")" + schedule +
                                R"(","seconds":1e-9,"found_by":"measure","created":1,"version":")" +
                                std::string(version()) + "\"}\n");
        ASSERT_EQ(wisdom::import_from(line).stored, 1);
    }
    /// With other choices than the estimate for 720 points.
    static std::string another_schedule() { return cpu() + ": 0 stockham(4,4,5,9)"; }
    static std::string cpu() {
        const std::string schedule = plan("dft 720").schedule();
        return schedule.substr(0, schedule.find(':'));
    }

    TemporaryFolder folder_;
    std::string device_;
};

TEST_F(Background, AnswersWithTheEstimateWhileItSearches) {
    const std::string estimate = plan("dft 720").schedule();
    const BusySearch busy;
    const Plan tuned = plan("dft 720", {.effort = Effort::background, .time_budget_seconds = 0.3});
    EXPECT_EQ(tuned.schedule(), estimate);
    EXPECT_TRUE(are_close(transformed(tuned, 720), transformed(plan("dft 720"), 720)));
    const std::vector<Problem> pending = background::pending();
    ASSERT_EQ(pending.size(), 2U);
    EXPECT_EQ(to_text(pending[0]), "dft 96");
    EXPECT_EQ(to_text(pending[1]), "dft 720");
    EXPECT_FALSE(background::wait(0.01));
}

TEST_F(Background, ResultGoesToWisdomForLaterPlans) {
    static_cast<void>(plan("dft 720", {.effort = Effort::background, .time_budget_seconds = 0.3}));
    ASSERT_TRUE(background::wait(enough));
    EXPECT_TRUE(background::pending().empty());
    const std::string lines = exported();
    const std::size_t at = lines.find("\"problem\":\"dft 720\"");
    ASSERT_NE(at, std::string::npos) << lines;
    const std::string line = lines.substr(at, lines.find('\n', at) - at);
    EXPECT_EQ(text_in(line, "found_by"), "measure");
    EXPECT_EQ(plan("dft 720").schedule(), text_in(line, "schedule"));
    std::string progress;
    static_cast<void>(plan("dft 720", {.effort = Effort::measure,
                                       .progress = [&](const std::string& text) { progress += text; }}));
    EXPECT_EQ(progress, "") << "it is known";
}

TEST_F(Background, BitsOfAPlanStayUnlessASwapIsAskedFor) {
    BusySearch busy;
    const Plan early = plan("dft 720", {.effort = Effort::background});
    const std::string schedule = early.schedule();
    const std::vector<Complex> before = transformed(early, 720);
    find("dft 720", another_schedule());
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(early.schedule(), schedule);
    EXPECT_EQ(transformed(early, 720), before);
    EXPECT_EQ(plan("dft 720").schedule(), another_schedule());
}

TEST_F(Background, SwapsTheScheduleInAllCopiesOfAPlan) {
    BusySearch busy;
    const Plan tuned = plan("dft 720", {.effort = Effort::background, .swap_schedule = true});
    const Plan copy = tuned;
    const std::vector<Complex> before = transformed(copy, 720);
    const std::string description = copy.description();
    const std::size_t workspace = copy.workspace_bytes();
    find("dft 720", another_schedule());
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    const std::vector<Complex> after = transformed(plan("dft 720", {.schedule = another_schedule()}), 720);
    ASSERT_NE(before, after) << "the test shows nothing";
    for (const Plan& each : {tuned, copy}) {
        EXPECT_EQ(each.schedule(), another_schedule());
        EXPECT_NE(each.description(), description);
        EXPECT_NE(each.description().find("checked: "), std::string::npos);
        EXPECT_EQ(each.workspace_bytes(), workspace);
        EXPECT_EQ(transformed(each, 720), after);
    }
}

TEST_F(Background, SwapsForSeveralThreadsAsTheNextPlanWouldBe) {
    const std::string problem = "dft 2^16";
    BusySearch busy;
    const Plan tuned = plan(problem, {.threads = 2, .effort = Effort::background, .swap_schedule = true});
    const std::string of_one = cpu() + ": 0 six-step(256,256)";
    find("dft 65536", plan(problem, {.schedule = of_one}).schedule());
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(tuned.threads(), plan(problem, {.threads = 2}).threads());
    EXPECT_EQ(tuned.schedule(), plan(problem, {.threads = 2}).schedule());
    EXPECT_EQ(transformed(tuned, 1 << 16), transformed(plan(problem), 1 << 16)) << "the bits of one thread";
}

TEST_F(Background, SwapsWhileThreadsExecute) {
    BusySearch busy;
    const Plan tuned = plan("dft 720", {.effort = Effort::background, .swap_schedule = true});
    const std::vector<Complex> before = transformed(tuned, 720);
    const std::vector<Complex> after = transformed(plan("dft 720", {.schedule = another_schedule()}), 720);
    find("dft 720", another_schedule());
    std::atomic<int> of_before = 0, of_after = 0, of_neither = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                for (int k = 0; k < 32; ++k) {
                    const std::vector<Complex> result = transformed(tuned, 720);
                    ++(result == before ? of_before : result == after ? of_after : of_neither);
                }
                sleep_briefly(); // the search, of the lowest priority, waits for an idle processor
            }
        });
    while (of_before < 100) sleep_briefly();
    busy.release();
    const auto begin = std::chrono::steady_clock::now();
    while (of_after < 100 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(120))
        sleep_briefly();
    threads.clear();
    EXPECT_GE(of_after, 100);
    EXPECT_EQ(of_neither, 0);
    EXPECT_EQ(tuned.schedule(), another_schedule());
}

TEST_F(Background, KeepsAPlanWhoseWorkspaceWouldNotDo) {
    const std::string small = plan("dft 48").schedule(), large = cpu() + ": 0 stockham(3,4,4)";
    if (plan("dft 48", {.schedule = large}).workspace_bytes() <= plan("dft 48").workspace_bytes())
        GTEST_SKIP() << "their workspaces are alike on this CPU";
    BusySearch busy;
    std::vector<std::string> warnings;
    const Plan tuned = plan("dft 48", {.effort = Effort::background,
                                       .swap_schedule = true,
                                       .log = [&](const std::string& line) { warnings.push_back(line); }});
    find("dft 48", large);
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(tuned.schedule(), small);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("workspace"), std::string::npos) << warnings[0];
    EXPECT_EQ(plan("dft 48").schedule(), large);
}

TEST_F(Background, SwapsWithoutWisdomToo) {
    const Plan tuned = plan("dft 720", {.effort = Effort::background,
                                        .swap_schedule = true,
                                        .time_budget_seconds = 0.2,
                                        .use_wisdom = false});
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(exported(), "");
    EXPECT_TRUE(are_close(transformed(tuned, 720), transformed(plan("dft 720"), 720)));
}

std::vector<double> multiplied(const Plan& plan, std::size_t n, const PackedMatrix* packed = nullptr) {
    std::vector<double> a(n * n), b(n * n), c(n * n);
    for (std::size_t k = 0; k < n * n; ++k) {
        a[k] = static_cast<double>(k * 7919 % 101) / 7;
        b[k] = static_cast<double>(k * 104729 % 97) / 3;
    }
    if (packed == nullptr)
        plan.execute(1.0, a, b, 0.0, c);
    else
        plan.execute(1.0, *packed, b, 0.0, c);
    return c;
}

class BackgroundProducts : public Background {
protected:
    static constexpr std::size_t n = 720; ///< more than one block along K
    static constexpr const char* problem = "gemm 720x720x720 float64";

    /// The estimate with another block size along K, which changes bits.
    static std::string another_product_schedule() {
        std::string schedule = plan(problem).schedule();
        const std::size_t first = schedule.find("kc=") + 3;
        return schedule.replace(first, schedule.find(' ', first) - first, "64");
    }
};

TEST_F(BackgroundProducts, AreSwapped) {
    BusySearch busy;
    const Plan tuned = plan(problem, {.effort = Effort::background, .swap_schedule = true});
    const std::string another = another_product_schedule();
    if (another.find("blocked") == std::string::npos) GTEST_SKIP() << "no packed blocks on this machine";
    find("gemm float64", another);
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(tuned.schedule(), another);
    EXPECT_EQ(multiplied(tuned, n), multiplied(plan(problem, {.schedule = another}), n));
    const PackedMatrix packed = tuned.pack_a(std::vector<double>(n * n, 1));
    static_cast<void>(multiplied(tuned, n, &packed));
}

TEST_F(BackgroundProducts, StayOnceAnOperandIsPacked) {
    BusySearch busy;
    const Plan tuned = plan(problem, {.effort = Effort::background, .swap_schedule = true});
    const std::string schedule = tuned.schedule(), another = another_product_schedule();
    const std::vector<double> before = multiplied(tuned, n);
    const PackedMatrix packed = tuned.pack_a(std::vector<double>(n * n, 1));
    find("gemm float64", another);
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(tuned.schedule(), schedule);
    EXPECT_EQ(multiplied(tuned, n), before);
    static_cast<void>(multiplied(tuned, n, &packed));
}

TEST_F(BackgroundProducts, OfGroupsAreSwapped) {
    BusySearch busy;
    const Plan tuned = plan(problem, {.effort = Effort::background, .swap_schedule = true}),
               fixed = plan(problem);
    const std::string another = another_product_schedule();
    find("gemm float64", another);
    busy.release();
    ASSERT_TRUE(background::wait(enough));
    const std::vector<double> a(n * n, 1), b(n * n, 2);
    std::vector<double> c(n * n), d(n * n);
    const double *const as[] = {a.data()}, *const bs[] = {b.data()};
    double *const cs[] = {c.data()}, *const ds[] = {d.data()};
    execute_groups(
        std::vector<MatrixGroup>{{fixed, 1.0, as, bs, 0.0, cs, 1}, {tuned, 1.0, as, bs, 0.0, ds, 1}});
    tuned.execute_each(1.0, as, bs, 0.0, cs, 1);
    EXPECT_EQ(c, std::vector<double>(n * n, 2.0 * static_cast<double>(n)));
    EXPECT_EQ(d, c);
}

TEST_F(Background, OneSearchServesPlansOfTheSameProblem) {
    const BusySearch busy;
    for (int k = 0; k < 3; ++k) static_cast<void>(plan("dft 720", {.effort = Effort::background}));
    EXPECT_EQ(background::pending().size(), 2U);
}

TEST_F(Background, StopEndsAllSearches) {
    std::atomic<int> lines = 0;
    const auto count = [&](const std::string&) { ++lines; };
    const Options for_long{.effort = Effort::background, .time_budget_seconds = 1e4, .progress = count};
    const Plan first = plan("dft 5040", for_long), second = plan("dft 2310", for_long);
    while (lines == 0) sleep_briefly();
    EXPECT_EQ(background::stop(), 2);
    const int then = lines;
    EXPECT_TRUE(background::pending().empty());
    EXPECT_EQ(background::stop(), 0);
    sleep_briefly();
    EXPECT_EQ(lines, then);
    EXPECT_EQ(transformed(first, 5040).size(), 5040U);
    static_cast<void>(plan("dft 720", {.effort = Effort::background, .time_budget_seconds = 0.05}));
    EXPECT_TRUE(background::wait(enough)) << "further searches begin";
}

TEST_F(Background, FunctionsOfTheSearchMayStopItAndDoNotWait) {
    std::atomic<int> waited = 0, stopped = 0;
    static_cast<void>(
        plan("dft 5040",
             {.effort = Effort::background, .time_budget_seconds = 1e4, .progress = [&](const std::string&) {
                  waited += background::wait() ? 1 : 0;
                  stopped += static_cast<int>(background::stop());
              }}));
    EXPECT_TRUE(background::wait(enough));
    EXPECT_EQ(waited, 0);
    EXPECT_GE(stopped, 1);
}

TEST_F(Background, CancelledEndsTheSearchQuietly) {
    const auto here = std::this_thread::get_id();
    std::atomic<int> warnings = 0;
    static_cast<void>(plan("dft 5040", {.effort = Effort::background,
                                        .time_budget_seconds = 1e4,
                                        .cancelled = [here] { return std::this_thread::get_id() != here; },
                                        .log = [&](const std::string&) { ++warnings; }}));
    EXPECT_TRUE(background::wait(enough));
    EXPECT_EQ(warnings, 0);
    EXPECT_EQ(exported().find("\"dft 5040\""), std::string::npos);
}

TEST_F(Background, ErrorsAreLoggedOnceAndLeaveThePlanAlone) {
    std::vector<std::string> warnings; // read after wait()
    const Plan tuned =
        plan("dft 720", {.effort = Effort::background,
                         .swap_schedule = true,
                         .progress = [](const std::string&) { throw std::runtime_error("no more"); },
                         .log = [&](const std::string& line) { warnings.push_back(line); }});
    ASSERT_TRUE(background::wait(enough));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("dft 720"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("no more"), std::string::npos) << warnings[0];
    EXPECT_EQ(tuned.schedule(), plan("dft 720").schedule());
}

TEST_F(Background, ArraysOfTheSearchCountForTheMemoryLimit) {
    std::vector<std::string> warnings;
    static_cast<void>(
        plan("dft 1024 batch=1000", {.effort = Effort::background,
                                     .memory_limit_bytes = 8 << 20,
                                     .check = false,
                                     .log = [&](const std::string& line) { warnings.push_back(line); }}));
    ASSERT_TRUE(background::wait(enough));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("limit"), std::string::npos) << warnings[0];
}

TEST_F(Background, LimitOfPlanningTimeIsForTheCallerOnly) {
    std::atomic<int> warnings = 0;
    static_cast<void>(plan("dft 720", {.effort = Effort::background,
                                       .time_budget_seconds = 0.3,
                                       .planning_limit_seconds = 0.29,
                                       .log = [&](const std::string&) { ++warnings; }}));
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(warnings, 0);
    EXPECT_NE(exported().find("\"dft 720\""), std::string::npos);
}

TEST_F(Background, ThreadHasTheLowestPriorityAndReceivesNoSignals) {
    std::atomic<int> priority = 0, blocked = -1;
    static_cast<void>(
        plan("dft 720",
             {.effort = Effort::background, .time_budget_seconds = 0.05, .progress = [&](const std::string&) {
                  priority = getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
                  sigset_t mask;
                  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
                  blocked = sigismember(&mask, SIGINT) + sigismember(&mask, SIGTERM);
              }}));
    ASSERT_TRUE(background::wait(enough));
    EXPECT_EQ(priority, 19);
    EXPECT_EQ(blocked, 2);
}

TEST_F(Background, RefusesWhatNothingCouldComeOf) {
    EXPECT_EQ(
        error_of<UserError>(
            [] { static_cast<void>(plan("dft 8", {.effort = Effort::background, .use_wisdom = false})); }),
        "effort is background, but use_wisdom and swap_schedule are false: no plan would use what is found\n"
        "  set one of them, or use estimate");
    EXPECT_THROW(static_cast<void>(plan("dft 8", {.device = Device::gpu(), .effort = Effort::background})),
                 Unsupported);
    EXPECT_THROW(static_cast<void>(plan("dft 8", {.effort = Effort::background, .time_budget_seconds = -1})),
                 UserError);
    const Plan given = plan("dft 720", {.effort = Effort::background, .schedule = another_schedule()});
    EXPECT_EQ(given.schedule(), another_schedule());
    EXPECT_TRUE(background::pending().empty()) << "every choice is given";
}

TEST_F(Background, ChildrenBeginWithoutSearches) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    const std::string another = another_schedule();
    const BusySearch busy;
    const Plan of_parent = plan("dft 720", {.effort = Effort::background, .swap_schedule = true});
    EXPECT_TRUE(is_true_in_children(4, [&](int k) {
        if (!background::pending().empty() || background::stop() != 0 || !background::wait(0)) return false;
        const Plan own = plan(Transform::make(TransformKind::dft, {100 + k}),
                              {.effort = Effort::background, .time_budget_seconds = 0.05});
        return background::wait(enough) && transformed(of_parent, 720).size() == 720 && k >= 0;
    }));
    EXPECT_EQ(background::pending().size(), 2U);
}

TEST_F(Background, ChildrenMayBeForkedWhileASearchGoesOn) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    std::atomic<bool> has_begun = false;
    static_cast<void>(plan("dft 5040", {.effort = Effort::background,
                                        .time_budget_seconds = 1e4,
                                        .progress = [&](const std::string&) { has_begun = true; }}));
    while (!has_begun) sleep_briefly();
    EXPECT_TRUE(is_true_in_children(8, [](int k) {
        const Options options{.effort = Effort::background, .time_budget_seconds = 0.02};
        static_cast<void>(plan(Transform::make(TransformKind::dft, {100 + k}), options));
        return background::wait(enough);
    }));
    EXPECT_EQ(background::stop(), 1);
}

TEST_F(Background, ProcessExitsWhileASearchGoesOn) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(60);
        std::atomic<bool> has_begun = false;
        static_cast<void>(plan("dft 5040", {.effort = Effort::background,
                                            .time_budget_seconds = 1e4,
                                            .progress = [&](const std::string&) { has_begun = true; }}));
        while (!has_begun) sleep_briefly();
        std::exit(7);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST_F(Background, ServesC) {
    const auto pending = [] {
        char text[200] = {};
        EXPECT_EQ(swirl_background_pending(text, sizeof text, nullptr), SWIRL_OK) << swirl_last_error();
        return std::string(text);
    };
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.effort = SWIRL_BACKGROUND;
    options.swap_schedule = 1;
    BusySearch busy;
    const c::Plan plan = c::plan("dft 720", &options);
    EXPECT_EQ(pending(), "dft 96\ndft 720\n");
    int is_done = -1;
    EXPECT_EQ(swirl_background_wait(0.01, &is_done), SWIRL_OK);
    EXPECT_EQ(is_done, 0);
    const char* const before = swirl_plan_schedule(plan.get());
    const char* const described = swirl_plan_description(plan.get());
    const std::string copy = before, copy_described = described;
    find("dft 720", another_schedule());
    busy.release();
    EXPECT_EQ(swirl_background_wait(-1, &is_done), SWIRL_OK);
    EXPECT_EQ(is_done, 1);
    EXPECT_EQ(pending(), "");
    EXPECT_EQ(swirl_plan_schedule(plan.get()), another_schedule());
    EXPECT_NE(swirl_plan_description(plan.get()), copy_described);
    EXPECT_EQ(before, copy) << "still valid";
    EXPECT_EQ(described, copy_described);
    const std::vector<Complex> x = numbers(720);
    std::vector<Complex> y(720);
    EXPECT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_OK);
    EXPECT_EQ(y, transformed(swirl::plan("dft 720", {.schedule = another_schedule()}), 720));
    std::size_t stopped = 9;
    EXPECT_EQ(swirl_background_stop(&stopped), SWIRL_OK);
    EXPECT_EQ(stopped, 0U);
    EXPECT_EQ(swirl_background_stop(nullptr), SWIRL_OK);
    EXPECT_EQ(swirl_background_wait(0, nullptr), SWIRL_OK);

    options.use_wisdom = 0;
    options.swap_schedule = 0;
    swirl_plan* none = nullptr;
    c::expect_error(swirl_plan_from_text("dft 8", &options, &none), SWIRL_USER_ERROR, "effort is background");
    options.device = SWIRL_GPU;
    c::expect_error(swirl_plan_from_text("dft 8", &options, &none), SWIRL_UNSUPPORTED, "only plans for CPUs");
    options.effort = 4;
    c::expect_error(swirl_plan_from_text("dft 8", &options, &none), SWIRL_USER_ERROR, "options.effort");
}

} // namespace background_test
} // namespace swirl
