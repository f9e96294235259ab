#include <swirl/swirl.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

namespace planar_test {

/// Data in both layouts.
struct Signal {
    std::vector<std::complex<double>> pairs;
    std::vector<double> real, imaginary;

    explicit Signal(std::size_t n) : pairs(n), real(n), imaginary(n) {}
    void randomize() {
        std::mt19937 generator(3);
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            real[i] = uniform(generator);
            imaginary[i] = uniform(generator);
            pairs[i] = {real[i], imaginary[i]};
        }
    }
    double difference() const {
        double sum = 0, norm = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            sum += std::norm(pairs[i] - std::complex<double>(real[i], imaginary[i]));
            norm += std::norm(pairs[i]);
        }
        return std::sqrt(sum / norm);
    }
};

TEST(Planar, GivesWhatInterleavedGives) {
    for (const char* lengths : {"1", "2", "16", "30", "64", "97", "1000", "8x12", "4x5x6"})
        for (const char* options : {"", " backward", " scale=0.5"}) {
            const std::string text = std::string("dft ") + lengths + options;
            const swirl::Plan interleaved = swirl::plan(text), planar = swirl::plan(text + " planar");
            std::size_t n = 1;
            for (const auto& dimension : std::get<swirl::Transform>(planar.problem()).dimensions)
                n *= static_cast<std::size_t>(dimension.length);
            Signal x(n), y(n);
            x.randomize();
            interleaved.execute(x.pairs.data(), y.pairs.data());
            planar.execute(x.real.data(), x.imaginary.data(), y.real.data(), y.imaginary.data());
            EXPECT_LT(y.difference(), 1e-14) << text;

            const swirl::Plan in_place = swirl::plan(text + " planar inplace");
            in_place.execute(x.real.data(), x.imaginary.data(), x.real.data(), x.imaginary.data());
            x.pairs = y.pairs;
            EXPECT_LT(x.difference(), 1e-14) << text << " in place";
        }
}

TEST(Planar, NamesWhatItTakes) {
    const swirl::Plan plan = swirl::plan("dft 8 planar");
    std::vector<std::complex<double>> x(8, 1.0), y(8);
    try {
        plan.execute(x.data(), y.data());
        FAIL() << "no error";
    } catch (const swirl::UserError& error) {
        EXPECT_NE(
            std::string(error.what()).find("input_real, input_imaginary, output_real, output_imaginary"),
            std::string::npos)
            << error.what();
    }
}

/// Of neighbouring blocks of reals, one holds the real and one the imaginary components.
TEST(Planar, ComponentsMayInterleaveAsFarAsTheyAreStored) {
    constexpr std::size_t n = 96, kept = 86, pairs = 5;
    const swirl::Plan plan = swirl::plan("dft 96 planar batch=5:172 store=\"x where i < 86\"");
    std::vector<double> x(pairs * 2 * kept + n), y(x.size(), -1.0);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k * k % 17) - 8;
    plan.execute(x.data(), x.data() + kept, y.data(), y.data() + kept);
    const swirl::Plan one = swirl::plan("dft 96");
    for (std::size_t b = 0; b < pairs; ++b) {
        std::vector<std::complex<double>> block(n), result(n);
        for (std::size_t i = 0; i < n; ++i) block[i] = {x[2 * b * kept + i], x[(2 * b + 1) * kept + i]};
        one.execute(block, result);
        for (std::size_t i = 0; i < kept; ++i) {
            EXPECT_NEAR(y[2 * b * kept + i], result[i].real(), 1e-11);
            EXPECT_NEAR(y[(2 * b + 1) * kept + i], result[i].imag(), 1e-11);
        }
    }
    EXPECT_THROW(plan.execute(x.data(), x.data() + kept, y.data(), y.data() + kept - 1), swirl::UserError);
}

} // namespace planar_test
