// A product of matrices in half precision or bfloat16 with float32 accumulators, beside the error that theory permits.
//
//   example_mixed_precision_cpp [FOLDER]  FOLDER/mixed_precision.txt: K, then error and bound of each data type
//
// Rounding A and B to p bits changes each by at most u = 2^-p of itself. A sum of K products in float32 adds at most
// K·2^-24 of the sum of magnitudes, whatever its order. So |C - A·B| ≤ ((1 + u)²(1 + g) - 1) |A|·|B|, g = K·2^-24 / (1 - K·2^-24).
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

constexpr std::size_t m = 96, n = 80;

struct Errors {
    double measured = 0; ///< largest |C - A·B| / (|A|·|B|)
    double bound = 0;
};

template <class T>
Errors errors_of(swirl::DataType type, int bits, const std::vector<float>& a, const std::vector<float>& b,
                 std::size_t k) {
    std::vector<T> rounded_a, rounded_b;
    for (const float value : a) rounded_a.emplace_back(value);
    for (const float value : b) rounded_b.emplace_back(value);
    std::vector<float> c(m * n);
    auto product =
        swirl::MatrixProduct::row_major(swirl::DataType::float32, m, n, static_cast<swirl::Integer>(k));
    product.a_type = product.b_type = type;
    swirl::plan(product).execute(1, rounded_a, rounded_b, 0, c);

    Errors errors;
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double exact = 0, magnitude = 0;
            for (std::size_t l = 0; l < k; ++l) {
                const double term = static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
                exact += term;
                magnitude += std::abs(term);
            }
            errors.measured =
                std::max(errors.measured, std::abs(static_cast<double>(c[i * n + j]) - exact) / magnitude);
        }
    const double u = std::exp2(-bits), sum = static_cast<double>(k) * std::exp2(-24.0);
    errors.bound = (1 + u) * (1 + u) * (1 + sum / (1 - sum)) - 1;
    return errors;
}

int main(int count, char** arguments) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::ofstream out;
    if (count > 1) out.open(std::string(arguments[1]) + "/mixed_precision.txt");

    bool is_right = true;
    for (std::size_t k = 16; k <= 4096; k *= 4) {
        std::vector<float> a(m * k), b(k * n);
        for (float& value : a) value = uniform(random);
        for (float& value : b) value = uniform(random);
        const Errors results[] = {errors_of<swirl::bfloat16>(swirl::DataType::bfloat16, 8, a, b, k),
                                  errors_of<swirl::float16>(swirl::DataType::float16, 11, a, b, k),
                                  errors_of<float>(swirl::DataType::float32, 24, a, b, k)};
        if (count > 1) out << k;
        for (const Errors& errors : results) {
            is_right = is_right && errors.measured <= errors.bound;
            if (count > 1) out << ' ' << errors.measured << ' ' << errors.bound;
        }
        if (count > 1) out << '\n';
    }
    std::printf("bfloat16, float16 and float32, K from 16 to 4096: errors %s their bounds\n",
                is_right ? "within" : "beyond");
    return is_right ? 0 : 1;
}
