#include "cli/run_swirl.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace tune_test {

TEST(TuneCommand, ComparesModelWithResultsAndStoresThem) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const auto tuned = run_swirl("tune gemm --data-type float32 --seconds 4 --sizes 96,100 --json");
    EXPECT_EQ(tuned.status, 0) << tuned.errors;
    EXPECT_NE(tuned.errors.find("gemm 1000x1000x1000 float32: 1 of 1, "), std::string::npos) << tuned.errors;
    EXPECT_NE(tuned.errors.find(": blocked mr="), std::string::npos) << tuned.errors;
    const auto results = nlohmann::json::parse(tuned.output);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0]["data_type"], "float32");
    ASSERT_EQ(results[0]["sizes"].size(), 2U);
    for (const auto& size : results[0]["sizes"])
        for (const char* speed : {"model", "found", "found_over_model", "peak"})
            EXPECT_GT(size[speed], 0) << speed;

    const auto listed = run_swirl("wisdom list");
    EXPECT_NE(listed.output.find("gemm float32"), std::string::npos) << listed.output;
    const auto forgotten = run_swirl("wisdom forget gemm float32");
    EXPECT_EQ(forgotten.output, "1 entries forgotten\n") << forgotten.errors;
}

TEST(TuneCommand, CanLeaveWisdomAlone) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const auto tuned =
        run_swirl("tune gemm --data-type complex64 --seconds 0 --sizes 64 --no-wisdom --quiet");
    EXPECT_EQ(tuned.status, 0) << tuned.errors;
    EXPECT_EQ(tuned.errors, "");
    EXPECT_NE(tuned.output.find("complex64 on "), std::string::npos) << tuned.output;
    EXPECT_NE(tuned.output.find("found over model"), std::string::npos) << tuned.output;
    EXPECT_EQ(run_swirl("wisdom list").output.find("gemm complex64"), std::string::npos);
}

} // namespace tune_test
} // namespace swirl
