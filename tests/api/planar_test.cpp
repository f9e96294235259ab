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

} // namespace planar_test
