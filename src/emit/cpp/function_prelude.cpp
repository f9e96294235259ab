#include "emit/cpp/function_prelude.hpp"

namespace swirl::emit {
namespace {

constexpr std::string_view square_root_text = R"(
template <class V> swirl_inline V square_root(const V& a) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(a[0]); ++lane) v[lane] = std::sqrt(a[lane]);
    return v;
}
)";

constexpr std::string_view magnitude_text = R"(
template <class V> swirl_inline V magnitude(const V& a) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(a[0]); ++lane) v[lane] = std::fabs(a[lane]);
    return v;
}
)";

// 2^a: adding a large constant leaves a + bias as an integer in the last bits; a shift moves it to the exponent field.
constexpr std::string_view power_of_two_32_text = R"(
// 2^a for a whole a with a normal result.
swirl_inline float power_of_two(float a) {
    const float sum = a + 12583039.0f;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &sum, sizeof bits);
    bits <<= 23;
    std::memcpy(&a, &bits, sizeof a);
    return a;
}
)";

constexpr std::string_view power_of_two_64_text = R"(
// 2^a for a whole a with a normal result.
swirl_inline double power_of_two(double a) {
    const double sum = a + 6755399441056767.0;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &sum, sizeof bits);
    bits <<= 52;
    std::memcpy(&a, &bits, sizeof a);
    return a;
}
)";

constexpr std::string_view power_of_two_text = R"(
template <class V> swirl_inline V power_of_two(const V& a) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(a[0]); ++lane) v[lane] = power_of_two(a[lane]);
    return v;
}
)";

} // namespace

void write_function_helpers(SourceWriter& out, const PreludeNeeds& needs) {
    if (needs.square_root) out.paragraph(square_root_text);
    if (needs.magnitude) out.paragraph(magnitude_text);
    if (needs.power_of_two_32) out.paragraph(power_of_two_32_text);
    if (needs.power_of_two_64) out.paragraph(power_of_two_64_text);
    if (needs.power_of_two) out.paragraph(power_of_two_text);
}

} // namespace swirl::emit
