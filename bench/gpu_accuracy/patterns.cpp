#include "bench/gpu_accuracy/patterns.hpp"

#include <cmath>
#include <limits>

namespace swirl::bench {
namespace {

double between(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
double signed_power(Random& random, double most) {
    const double magnitude = std::exp2(between(random, -most, most));
    return (random() & 1U) != 0 ? magnitude : -magnitude;
}
constexpr long long index_of_special = 77; ///< row or column, and k index, with the special values
constexpr long long rows_between_specials = 97;

/// An infinity or a NaN in a few rows or columns, which makes their results infinite or NaN.
double special(Random& random, long long line, long long k) {
    const double usual = between(random, -1, 1);
    if (line % rows_between_specials != 0 || k != index_of_special) return usual;
    const long long which = line / rows_between_specials % 3;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return which == 0 ? infinity : which == 1 ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

const std::vector<AccuracyPattern>& accuracy_patterns() {
    static const auto& patterns = *new std::vector<AccuracyPattern>{
        {"uniform", [](Random& r, int, long long, long long) { return between(r, -1, 1); }, true},
        {"positive", [](Random& r, int, long long, long long) { return between(r, 0, 1); }, true},
        {"2^±6", [](Random& r, int, long long, long long) { return signed_power(r, 6); }, true},
        {"2^±20", [](Random& r, int, long long, long long) { return signed_power(r, 20); }},
        {"2^±20, positive",
         [](Random& r, int, long long, long long) { return std::abs(signed_power(r, 20)); }},
        {"2^±60", [](Random& r, int, long long, long long) { return signed_power(r, 60); }},
        {"one huge element",
         [](Random& r, int operand, long long line, long long k) {
             const double usual = between(r, -1, 1);
             return operand == 0 && line == index_of_special && k == index_of_special ? usual * 0x1p40
                                                                                      : usual;
         }},
        {"a huge column",
         [](Random& r, int operand, long long, long long k) {
             return between(r, -1, 1) * (operand == 0 && k == index_of_special ? 0x1p20 : 1);
         }},
        {"rows scaled by 2^±30",
         [](Random& r, int, long long line, long long) {
             return between(r, -1, 1) * std::exp2(static_cast<double>(line % 61 - 30));
         }},
        {"columns scaled by 2^±30",
         [](Random& r, int operand, long long, long long k) {
             return between(r, -1, 1) * (operand == 0 ? std::exp2(static_cast<double>(k * 7 % 61 - 30)) : 1);
         }},
        {"subnormal", [](Random& r, int operand, long long,
                         long long) { return between(r, -1, 1) * (operand == 0 ? 0x1p-128 : 1); }},
        {"near overflow", [](Random& r, int operand, long long,
                             long long) { return between(r, -1, 1) * (operand == 0 ? 0x1p122 : 1); }},
        {"infinities and NaN",
         [](Random& r, int, long long line, long long k) { return special(r, line, k); }},
    };
    return patterns;
}

} // namespace swirl::bench
