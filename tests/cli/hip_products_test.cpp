// What `swirl emit --language hip` writes of products, run on threads of the CPU against the definition.

#include "cli/run_swirl.hpp"
#include "emit/compiled_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace swirl {
namespace hip_products_test {

constexpr std::size_t rows = 100, columns = 36, k_extent = 13;

/// The file's host function and its kernels.
class EmittedHip {
public:
    explicit EmittedHip(const std::string& schedule) {
        const auto emitted = run_swirl(
            "emit gemm 100x36x13 float32 --language hip --gpu sm_80 --function product --schedule "
            "'sm_80: cta_m=32 "
            "cta_n=16 cta_k=4 thread_m=4 thread_n=4 warp_lanes_m=8 warp_lanes_n=4 "
            "stages=3 " +
            schedule + "'");
        EXPECT_EQ(emitted.status, 0) << emitted.errors;
        std::string text = emitted.output;
        const std::string without_type = "reinterpret_cast<const void*>(&";
        for (std::size_t position; (position = text.find(without_type)) != std::string::npos;)
            text.replace(position, without_type.size(), "(&");
        code_.emplace(text, "g++", "-std=c++20 -pthread -I" SWIRL_SOURCE_DIR "/tests/support/hip_on_threads");
    }

    using Product = int(const float*, const float*, float*, const float*, void*, void*);
    void execute(const float* a, const float* b, float* c, const std::vector<float>& factors) {
        std::vector<float> workspace(1 << 16, std::numeric_limits<float>::quiet_NaN());
        EXPECT_EQ(code_->function<Product>("product")(a, b, c, factors.data(), workspace.data(), nullptr), 0);
    }

private:
    std::optional<emit::CompiledText> code_;
};

std::vector<float> values(std::size_t count, unsigned stride) {
    std::vector<float> result(count);
    for (std::size_t k = 0; k < count; ++k) result[k] = static_cast<float>((k * stride) % 15) - 7;
    return result;
}

TEST(EmittedHipProducts, OfStreamsAreWhatTheyAre) {
    if (std::system("command -v g++ > /dev/null 2>&1") != 0) GTEST_SKIP() << "no g++ is here";
    const float none = std::numeric_limits<float>::quiet_NaN();
    for (const char* schedule : {"stream_k_blocks=5 data_parallel_tiles=1", "stream_k_blocks=7 c_vector_m=2",
                                 "sliced_k=2 stream_k_blocks=3"}) {
        EmittedHip product(schedule);
        for (const std::vector<float>& factors : {std::vector<float>{1.5, -0.5}, {2, 0}, {0, 0.5}, {0, 0}}) {
            std::vector<float> a = values(rows * k_extent, 7), b = values(k_extent * columns, 11),
                               c = values(rows * columns, 4);
            const std::vector<float> before = c;
            if (factors[0] == 0) a.assign(a.size(), none);
            if (factors[1] == 0) c.assign(c.size(), none);
            product.execute(a.data(), b.data(), c.data(), factors);
            for (std::size_t j = 0; j < columns; ++j)
                for (std::size_t i = 0; i < rows; ++i) {
                    float sum = factors[1] == 0 ? 0 : factors[1] * before[i + j * rows];
                    for (std::size_t k = 0; factors[0] != 0 && k < k_extent; ++k)
                        sum += factors[0] * a[i + k * rows] * b[k + j * k_extent];
                    ASSERT_EQ(c[i + j * rows], sum) << schedule << ": " << i << ", " << j;
                }
        }
    }
}

} // namespace hip_products_test
} // namespace swirl
