#include "fftw/library.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace swirl::test {
namespace wisdom_test {

/// Wisdom of a process: planning gathers it, texts carry it.
class FftwWisdom : public testing::Test {
protected:
    void SetUp() override { SWIRL_CALL(double, forget_wisdom)(); }
    void TearDown() override { SWIRL_CALL(double, forget_wisdom)(); }

    bool plans(int n, unsigned flags) {
        std::vector<double> x(2 * static_cast<std::size_t>(n));
        auto* const pairs = reinterpret_cast<fftw_complex*>(x.data());
        const fftw_plan plan = SWIRL_CALL(double, plan_dft_1d)(n, pairs, pairs, -1, flags);
        SWIRL_CALL(double, destroy_plan)(plan);
        return plan != nullptr;
    }
    std::string text() {
        char* const exported = SWIRL_CALL(double, export_wisdom_to_string)();
        std::string text = exported;
        std::free(exported);
        return text;
    }
};

TEST_F(FftwWisdom, WisdomOnlyPlansWhatWasPlannedWithAsMuchEffort) {
    EXPECT_FALSE(plans(20, FFTW_WISDOM_ONLY | FFTW_ESTIMATE));
    EXPECT_TRUE(plans(20, FFTW_ESTIMATE));
    EXPECT_TRUE(plans(20, FFTW_WISDOM_ONLY | FFTW_ESTIMATE));
    EXPECT_FALSE(plans(20, FFTW_WISDOM_ONLY));
    EXPECT_TRUE(plans(20, FFTW_MEASURE));
    EXPECT_TRUE(plans(20, FFTW_WISDOM_ONLY));
    EXPECT_TRUE(plans(20, FFTW_WISDOM_ONLY | FFTW_PATIENT)); // measured alike
    EXPECT_FALSE(plans(21, FFTW_WISDOM_ONLY));
    SWIRL_CALL(double, cleanup)();
    EXPECT_FALSE(plans(20, FFTW_WISDOM_ONLY));
}

TEST_F(FftwWisdom, TextsCarryIt) {
    ASSERT_TRUE(plans(20, FFTW_MEASURE));
    ASSERT_TRUE(plans(24, FFTW_ESTIMATE));
    const std::string exported = text();
    SWIRL_CALL(double, forget_wisdom)();
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom_from_string)(exported.c_str()));
    EXPECT_TRUE(plans(20, FFTW_WISDOM_ONLY));
    EXPECT_TRUE(plans(24, FFTW_WISDOM_ONLY | FFTW_ESTIMATE));
    EXPECT_FALSE(plans(24, FFTW_WISDOM_ONLY));

    const TemporaryFolder folder;
    const std::string file = folder.path() / "wisdom";
    EXPECT_TRUE(SWIRL_CALL(double, export_wisdom_to_filename)(file.c_str()));
    SWIRL_CALL(double, forget_wisdom)();
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom_from_filename)(file.c_str()));
    EXPECT_TRUE(plans(20, FFTW_WISDOM_ONLY));
    EXPECT_FALSE(SWIRL_CALL(double, import_wisdom_from_filename)((file + ".none").c_str()));
    EXPECT_FALSE(SWIRL_CALL(double, export_wisdom_to_filename)((file + "/none").c_str()));
}

TEST_F(FftwWisdom, CallbacksCarryIt) {
    ASSERT_TRUE(plans(20, FFTW_MEASURE));
    std::string written;
    SWIRL_CALL(double, export_wisdom)
    ([](char c, void* data) { static_cast<std::string*>(data)->push_back(c); }, &written);
    EXPECT_EQ(written, text());
    SWIRL_CALL(double, forget_wisdom)();
    struct Reader {
        const char* at;
    } reader{written.c_str()};
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom)(
        [](void* data) {
            auto& from = *static_cast<Reader*>(data);
            return *from.at == '\0' ? EOF : *from.at++;
        },
        &reader));
    EXPECT_TRUE(plans(20, FFTW_WISDOM_ONLY));
}

TEST_F(FftwWisdom, ReadingAFileStopsBehindTheText) {
    ASSERT_TRUE(plans(20, FFTW_MEASURE));
    FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    SWIRL_CALL(double, export_wisdom_to_file)(file);
    std::fputs("rest", file);
    std::rewind(file);
    SWIRL_CALL(double, forget_wisdom)();
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom_from_file)(file));
    char rest[8] = {};
    EXPECT_EQ(std::fread(rest, 1, sizeof rest, file), 5U);
    EXPECT_EQ(std::string(rest), "\nrest");
    std::fclose(file);
}

TEST_F(FftwWisdom, TheTextOfFftwItselfIsRecognised) {
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom_from_string)(
        "(fftw-3.3.10 fftw_wisdom #x4be12fff #x7b2df9b2 #xa5975329 #x385b0041\n"
        "  (fftw_codelet_n1fv_20_avx 0 #x10048 #x10048 #x0 #x7f2ad2fb #xe2ed1a0e #x4bb3bc65 "
        "#x8f5ed8ad)\n)\n"));
    EXPECT_FALSE(plans(20, FFTW_WISDOM_ONLY));
}

TEST_F(FftwWisdom, OtherTextsAreNone) {
    for (const char* text :
         {"", "  ", "hello", "(", "(fftw-3.3.10 fftw_wisdom (", "(swirl_wisdom\n", "(other\n)\n"})
        EXPECT_FALSE(SWIRL_CALL(double, import_wisdom_from_string)(text)) << text;
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom_from_string)("(swirl_wisdom\nnonsense\n)\n"));
}

} // namespace wisdom_test
} // namespace swirl::test
