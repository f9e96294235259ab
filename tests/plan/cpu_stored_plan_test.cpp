#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/cpu/stored_plan.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/kernel_cache.hpp"
#include "support/run_program.hpp"
#include "support/transform_schedule.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace swirl::planning {
namespace cpu_stored_plan_test {

/// Plans with a cache of their own.
class StoredCpuPlans : public testing::Test {
protected:
    void SetUp() override {
        if (cpu_.set == target::InstructionSet::portable || !runtime::ExecutableCode::is_available())
            GTEST_SKIP() << "no generated code can run";
    }

    std::shared_ptr<const Plan> plan(const std::string& text, const std::string& passes,
                                     PlanOptions options = {}) {
        options.cache = &cache;
        return Plan::build(parse_transform(text), transform_schedule(std::string(cpu_.name) + ": " + passes),
                           options);
    }

    /// Replaces the content of the only entry.
    void replace(std::span<const std::byte> content) {
        const auto entries = cache.entries();
        ASSERT_EQ(entries.size(), 1U);
        ASSERT_TRUE(cache.store(entries[0].key, entries[0].label, content));
    }
    /// The content of the only entry.
    runtime::Bytes content() const {
        const auto entries = cache.entries();
        if (entries.size() != 1) return {};
        return cache.find(entries[0].key).value_or(runtime::Bytes());
    }
    /// What is stored for another plan.
    runtime::Bytes content_for(const std::string& text, const std::string& passes) {
        TemporaryFolder other;
        runtime::KernelCache of_other(other.path());
        Plan::build(parse_transform(text), transform_schedule(std::string(cpu_.name) + ": " + passes),
                    {.cache = &of_other});
        return of_other.find(of_other.entries().at(0).key).value_or(runtime::Bytes());
    }

    const target::Cpu& cpu_ = target::host_cpu();
    TemporaryFolder folder;
    runtime::KernelCache cache{folder.path()};
};

/// The result of a contiguous out-of-place transform of the same random data.
std::vector<double> result_of(const Plan& plan, std::size_t doubles) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> input(doubles), output(doubles);
    for (double& value : input) value = uniform(generator);
    plan.execute({.input = input.data(), .output = output.data()});
    return output;
}

struct Case {
    const char* text;
    const char* passes;
    std::size_t doubles;
    int threads = 1;
};

TEST_F(StoredCpuPlans, ComputeTheSameBits) {
    for (const Case& each : {Case{"dft 60", "0 codelet", 120}, Case{"dft 1000", "0 stockham(10,10,10)", 2000},
                             Case{"rdft 60x64", "1 rdft-half-size; 0 codelet", 3960},
                             Case{"rdft 4096", "0 rdft-stockham(32,16,8)", 4098},
                             Case{"dft 131072", "0 stockham(32,16,16,16)", 262144},
                             Case{"dft 4096 batch=16", "0 stockham(16,16,16)", 131072, 2}}) {
        cache.clear();
        const PlanOptions options{.threads = each.threads, .sharing = {}};
        const auto derived = plan(each.text, each.passes, options);
        const runtime::Bytes stored = content();
        const auto loaded = plan(each.text, each.passes, options);
        EXPECT_FALSE(stored.empty()) << each.text;
        EXPECT_EQ(content(), stored) << each.text;
        EXPECT_EQ(result_of(*loaded, each.doubles), result_of(*derived, each.doubles)) << each.text;
        EXPECT_EQ(loaded->checked(), derived->checked());
        EXPECT_EQ(loaded->threads(), derived->threads());
        EXPECT_EQ(loaded->workspace_bytes(), derived->workspace_bytes());
        EXPECT_EQ(loaded->table_bytes(), derived->table_bytes());
        EXPECT_EQ(loaded->flops(), derived->flops());
        EXPECT_EQ(loaded->bytes(), derived->bytes());
        const auto a = loaded->describe(), b = derived->describe();
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t k = 0; k < a.size(); ++k) {
            EXPECT_EQ(to_string(a[k].info), to_string(b[k].info)) << each.text;
            EXPECT_EQ(a[k].phases, b[k].phases) << each.text;
            EXPECT_EQ(a[k].statistics.instructions, b[k].statistics.instructions) << each.text;
            EXPECT_EQ(a[k].statistics.bytes, b[k].statistics.bytes) << each.text;
        }
    }
}

TEST_F(StoredCpuPlans, AreLoadedAndNotDerived) {
    const auto forward = plan("dft 64", "0 codelet");
    const runtime::Bytes backward = content_for("dft 64 backward", "0 codelet");
    replace(backward);
    const auto loaded = plan("dft 64", "0 codelet", {.check = false});
    EXPECT_NE(result_of(*loaded, 128), result_of(*forward, 128));
}

TEST_F(StoredCpuPlans, ThatFailTheirCheckAreDerivedAgain) {
    const auto forward = plan("dft 64", "0 codelet");
    const runtime::Bytes right = content();
    replace(content_for("dft 64 backward", "0 codelet"));
    const auto again = plan("dft 64", "0 codelet");
    EXPECT_EQ(result_of(*again, 128), result_of(*forward, 128));
    EXPECT_EQ(content(), right);
}

TEST_F(StoredCpuPlans, WithMissingOrFurtherBytesAreDerivedAgain) {
    const auto forward = plan("dft 60", "0 codelet");
    const runtime::Bytes right = content();
    std::vector<runtime::Bytes> damaged;
    for (std::size_t size = 0; size < right.size(); size += 1 + right.size() / 40)
        damaged.emplace_back(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(size));
    damaged.push_back(right);
    damaged.back().push_back(std::byte{0});
    damaged.push_back(content_for("rdft 60x64", "1 rdft-half-size; 0 codelet")); // another number of kernels
    for (const runtime::Bytes& bytes : damaged) {
        replace(bytes);
        const auto again = plan("dft 60", "0 codelet", {.check = false});
        EXPECT_EQ(result_of(*again, 120), result_of(*forward, 120)) << bytes.size();
        EXPECT_EQ(content(), right) << bytes.size();
    }
}

TEST_F(StoredCpuPlans, DifferByAllThatDeterminesCode) {
    plan("dft 64", "0 codelet");
    plan("dft 64 backward", "0 codelet");
    plan("dft 64", "0 stockham(8,8)");
    plan("dft 64", "0 stockham(8,8)", {.threads = 2});
    plan("dft 64", "0 stockham(8,8)", {.threads = 2, .sharing = {}});
    EXPECT_EQ(cache.entries().size(), 5U);
    plan("dft 64", "scalar; 0 codelet");
    EXPECT_EQ(cache.entries().size(), 6U);
}

TEST_F(StoredCpuPlans, AreMachineCodeOfModerateSize) {
    Plan::build(Transform::dft({64}), transform_schedule("portable: 0 codelet"), {.cache = &cache});
    EXPECT_TRUE(cache.entries().empty());
    runtime::KernelCache small(folder.path(), StoredPlan::least_plans * 16000);
    const Schedule schedule = transform_schedule(std::string(cpu_.name) + ": 0 stockham(10,10,10)");
    Plan::build(Transform::dft({1000}), schedule, {.cache = &small}); // 32 kB of tables
    EXPECT_TRUE(cache.entries().empty());
}

} // namespace cpu_stored_plan_test
} // namespace swirl::planning
