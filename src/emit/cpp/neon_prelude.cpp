#include "emit/cpp/neon_prelude.hpp"

#include <algorithm>
#include <array>

namespace swirl::emit {
namespace {

struct NeonVector {
    ir::Type type;
    std::string_view name;
    std::string_view suffix; ///< of intrinsics
};

constexpr std::array vectors = {
    NeonVector{{DataType::float32, 2}, "float32x2_t", "_f32"},
    NeonVector{{DataType::float32, 4}, "float32x4_t", "q_f32"},
    NeonVector{{DataType::float64, 2}, "float64x2_t", "q_f64"},
    NeonVector{{DataType::int64, 2}, "int64x2_t", "q_s64"},
};

const NeonVector* find(ir::Type type) {
    const auto found = std::find_if(vectors.begin(), vectors.end(),
                                    [&](const NeonVector& vector) { return vector.type == type; });
    return found == vectors.end() ? nullptr : found;
}

/// For vectors of other lengths, which the compiler splits.
constexpr std::string_view multiply_add_each_text = R"(
template <class V> swirl_inline V multiply_add(const V& a, const V& b, const V& c) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(a[0]); ++lane) v[lane] = std::fma(a[lane], b[lane], c[lane]);
    return v;
}
)";

constexpr std::string_view subtract_product_each_text = R"(
template <class V> swirl_inline V subtract_product(const V& a, const V& b, const V& c) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(a[0]); ++lane) v[lane] = std::fma(-a[lane], b[lane], c[lane]);
    return v;
}
)";

constexpr std::string_view load_half_text = R"(
// The first two lanes, 0 in the others.
swirl_inline f32x4 load_half(const float* from) { return vcombine_f32(vld1_f32(from), vdup_n_f32(0)); }
)";

constexpr std::string_view store_half_text = R"(
// The first two lanes.
swirl_inline void store_half(float* to, f32x4 v) { vst1_f32(to, vget_low_f32(v)); }
)";

/// One function per vector type of the file.
void write_fused(SourceWriter& out, const PreludeNeeds& needs, std::string_view name,
                 std::string_view intrinsic, std::string_view for_others) {
    bool others = false;
    for (const ir::Type type : needs.types) {
        const NeonVector* vector = find(type);
        const bool floating = is_floating(type.scalar);
        others = others || (vector == nullptr && floating);
        if (vector != nullptr && floating)
            out.line("swirl_inline {0} {1}({0} a, {0} b, {0} c) {{ return {2}{3}(c, a, b); }}",
                     cpp_type(type), name, intrinsic, vector->suffix);
    }
    if (others) out.paragraph(for_others);
}

} // namespace

/// GCC for AArch64 reorders operations before it allocates registers, and spills many values: at 1024 points, 1100 of
/// 3000 instructions access the stack with that pass, 180 of 2000 without it. To measure again: swirl emit dft 1024
/// --cpu neon, aarch64-linux-gnu-g++ -O2 -S with and without -fno-schedule-insns, grep -c '\[sp'.
const std::string_view neon_include_text = R"(#if !defined(__aarch64__)
#error "this file is for AArch64"
#endif
#if defined(__GNUC__) && !defined(__clang__)
// The operations stand in an order in which few values are alive at a time.
#pragma GCC optimize("no-schedule-insns")
#endif
#include <arm_neon.h>
)";

std::string_view neon_type(ir::Type type) {
    const NeonVector* vector = find(type);
    return vector == nullptr ? std::string_view() : vector->name;
}

void write_neon_functions(SourceWriter& out, const PreludeNeeds& needs) {
    if (needs.load_half) out.paragraph(load_half_text);
    if (needs.store_half) out.paragraph(store_half_text);
    if (needs.multiply_add) {
        out.line();
        out.comment("a * b + c with one rounding.");
        write_fused(out, needs, "multiply_add", "vfma", multiply_add_each_text);
    }
    if (needs.negated_multiply_add) {
        out.line();
        out.comment("c - a * b with one rounding.");
        write_fused(out, needs, "subtract_product", "vfms", subtract_product_each_text);
    }
}

} // namespace swirl::emit
