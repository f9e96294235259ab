#pragma once

#include "cufft/interface.hpp"
#include "cufft/known_variants.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "support/cuda_fixture.hpp"
#include "support/interpreted_plan.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace swirl::cufft {

/// The interface with a GPU that is not there. What an execution launches is looked up among the plan's variants by the text of
/// its kernels, and interpreted: so results are those of the kernels, on memory of the host.
class CufftOnFakeGpu : public testing::Test {
protected:
    static void SetUpTestSuite() {
        setenv("SWIRL_CUDA_DRIVER", support::fake_cuda_library(12080).c_str(), 1);
        setenv("SWIRL_WISDOM", ":memory:", 1);
        setenv("SWIRL_CUFFT_PLANNING_SECONDS", "0", 1);
        setenv("SWIRL_CUFFT_CHECK", "0", 1); // at that time no kernel computes
    }
    void SetUp() override {
        fake.devices = 2;
        fake.free_bytes = std::size_t{1} << 30;
        fake.launches.clear();
        fake.calls.clear();
        fake.failures.clear();
        fake.argument_bytes = {};
    }

    /// Interprets what was launched since the last call. The launches must be those of one variant of this request, with the
    /// arrays among their arguments, in this stream.
    void run_launched(const Request& request, void* input, void* output,
                      runtime::cuda::Stream stream = nullptr) {
        const auto variants = KnownVariants::of_process().get(request, 0);
        std::vector<std::string> launched;
        for (const support::FakeLaunch& launch : fake.launches) {
            launched.push_back(launch.image);
            EXPECT_EQ(launch.stream, stream);
        }
        const planning::GpuPlan* const plan = variant_of(*variants, launched);
        ASSERT_NE(plan, nullptr) << launched.size() << " launches are no variant";
        EXPECT_EQ(plan->problem().placement == Placement::in_place, input == output);
        support::InterpretedPlan(plan->problem(), plan->schedule())
            .execute({.input = input, .output = output});
        fake.launches.clear();
    }

    /// Of the first launch and the last one.
    std::pair<void*, void*> first_and_last_argument() const {
        const auto address = [](const support::FakeLaunch& launch, std::size_t k) {
            void* pointer = nullptr;
            std::memcpy(&pointer, launch.arguments.data() + k * sizeof pointer, sizeof pointer);
            return pointer;
        };
        return {address(fake.launches.front(), 0), address(fake.launches.back(), 1)};
    }

    support::FakeCuda& fake = runtime::fake_of(12080);

private:
    static const planning::GpuPlan* variant_of(const Variants& variants,
                                               const std::vector<std::string>& images) {
        for (const Direction direction : {Direction::forward, Direction::backward})
            for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
                const planning::GpuPlan* const plan = variants.find(direction, placement);
                if (plan == nullptr) continue;
                std::vector<std::string> own;
                for (const planning::GpuPassDescription& pass : plan->describe())
                    for (const std::string& ptx : pass.ptx)
                        own.push_back(
                            "\x7f"
                            "ELF of " +
                            ptx);
                if (own == images) return plan;
            }
        return nullptr;
    }
};

} // namespace swirl::cufft
