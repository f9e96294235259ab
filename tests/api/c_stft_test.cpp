#include <swirl/swirl.h>

#include <swirl/stft.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

namespace swirl {
namespace c_stft_test {

TEST(CStft, ComputesAsTheCxxInterface) {
    std::vector<float> x(2 * 300), again(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
    const std::vector<double> values(48, 0.5);
    swirl_stft_options options = SWIRL_STFT_OPTIONS_INIT;
    options.hop = 16;
    options.window = values.data();
    options.window_length = values.size();
    options.ends = SWIRL_STFT_ZERO;
    options.data_type = SWIRL_FLOAT32;
    options.signals = 2;
    options.mels = 10;
    options.sample_rate = 8000;
    options.mel_lowest = 100;
    options.mel_highest = 3000;
    options.mel_scale = SWIRL_MEL_HTK;
    options.mel_norm = SWIRL_MEL_NO_NORM;
    swirl_stft* stft = nullptr;
    ASSERT_EQ(swirl_stft_create(300, 64, &options, nullptr, &stft), SWIRL_OK) << swirl_last_error();
    const Stft same(300, 64,
                    {.hop = 16,
                     .window = values,
                     .ends = StftEnds::zero,
                     .signals = 2,
                     .data_type = DataType::float32,
                     .mel = {10, 8000, 100, 3000, MelScale::htk, MelNorm::none}});
    ASSERT_EQ(swirl_stft_frames(stft), same.frames());
    ASSERT_EQ(swirl_stft_bins(stft), same.bins());
    const auto count = static_cast<std::size_t>(2 * same.frames() * same.bins());
    std::vector<std::complex<float>> spectra(count), expected(count);
    std::vector<float> powers(count), expected_powers(count), expected_again(x.size());
    EXPECT_EQ(swirl_stft_forward(stft, x.data(), spectra.data(), nullptr), SWIRL_OK);
    EXPECT_EQ(swirl_stft_power(stft, x.data(), powers.data(), nullptr), SWIRL_OK);
    EXPECT_EQ(swirl_stft_inverse(stft, spectra.data(), again.data(), nullptr), SWIRL_OK);
    same.forward(x, expected);
    same.power(x, expected_powers);
    same.inverse(expected, expected_again);
    EXPECT_EQ(spectra, expected);
    EXPECT_EQ(powers, expected_powers);
    EXPECT_EQ(again, expected_again);
    ASSERT_EQ(swirl_stft_mels(stft), 10);
    std::vector<float> mels(static_cast<std::size_t>(20 * same.frames())), expected_mels(mels.size());
    EXPECT_EQ(swirl_stft_mel(stft, x.data(), mels.data(), nullptr), SWIRL_OK) << swirl_last_error();
    same.mel(x, expected_mels);
    EXPECT_EQ(mels, expected_mels);
    swirl_stft_destroy(stft);
}

TEST(CStft, SaysWhatIsWrong) {
    swirl_stft* stft = nullptr;
    const auto refused = [&](const swirl_stft_options& options, const char* reason) {
        EXPECT_EQ(swirl_stft_create(300, 64, &options, nullptr, &stft), SWIRL_USER_ERROR);
        EXPECT_NE(std::string(swirl_last_error()).find(reason), std::string::npos) << swirl_last_error();
    };
    swirl_stft_options options = SWIRL_STFT_OPTIONS_INIT;
    options.ends = 7;
    refused(options, "'ends' is 7");
    options = SWIRL_STFT_OPTIONS_INIT;
    options.data_type = SWIRL_INT8;
    refused(options, "'data_type' is 6");
    options = SWIRL_STFT_OPTIONS_INIT;
    options.mel_scale = 2;
    refused(options, "'mel_scale' is 2");
    options = SWIRL_STFT_OPTIONS_INIT;
    options.window_length = 3;
    refused(options, "'window'");
    EXPECT_EQ(swirl_stft_create(300, 64, nullptr, nullptr, nullptr), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_stft_create(0, 64, nullptr, nullptr, &stft), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_stft_forward(nullptr, nullptr, nullptr, nullptr), SWIRL_USER_ERROR);
    ASSERT_EQ(swirl_stft_create(300, 64, nullptr, nullptr, &stft), SWIRL_OK);
    EXPECT_EQ(swirl_stft_power(stft, nullptr, nullptr, nullptr), SWIRL_USER_ERROR);
    swirl_stft_destroy(stft);
    swirl_stft_destroy(nullptr);
    EXPECT_EQ(swirl_stft_frames(nullptr), 0);
}

} // namespace c_stft_test
} // namespace swirl
