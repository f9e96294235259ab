#include "emit/cpp/prelude.hpp"

#include "base/error.hpp"
#include "emit/cpp/function_prelude.hpp"
#include "emit/cpp/neon_prelude.hpp"
#include "ir/analysis.hpp"
#include "ir/instruction.hpp"

#include <bit>

namespace swirl::emit {
namespace {

// ---- helpers for both representations of vectors --------------------------------------------------------------

constexpr std::string_view load_text = R"(
// Vectors are loaded and stored at any alignment.
template <class V, class T> swirl_inline V load(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
)";

constexpr std::string_view load_lanes_text = R"(
// The first `active` lanes from elements that lie `stride` apart, 0 in the others.
template <class V, int active, class T> swirl_inline V load_lanes(const T* from, std::int64_t stride) {
    V v{};
    for (int lane = 0; lane < active; ++lane) v[lane] = from[lane * stride];
    return v;
}
)";

constexpr std::string_view store_text = R"(
template <class T, class V> swirl_inline void store(T* to, const V& v) {
    std::memcpy(to, &v, sizeof v);
}
)";

constexpr std::string_view store_lanes_text = R"(
// The first `active` lanes to elements that lie `stride` apart.
template <int active, class T, class V> swirl_inline void store_lanes(T* to, std::int64_t stride, const V& v) {
    for (int lane = 0; lane < active; ++lane) to[lane * stride] = v[lane];
}
)";

constexpr std::string_view splat_text = R"(
template <class V, class T> swirl_inline V splat(T x) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(T); ++lane) v[lane] = x;
    return v;
}
)";

constexpr std::string_view multiply_add_text = R"(
// a * b + c with one rounding.
template <class V> swirl_inline V multiply_add(const V& a, const V& b, const V& c) {
    V v{};
    for (unsigned lane = 0; lane < sizeof(V) / sizeof(a[0]); ++lane) v[lane] = std::fma(a[lane], b[lane], c[lane]);
    return v;
}
)";

/// Always inlined, with reference parameters: compilers warn when they pass vectors wider than the target's.
constexpr std::string_view inline_text = R"(#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#define swirl_inline inline __attribute__((always_inline))
#else
#define swirl_inline inline
#endif

)";

// ---- vectors as a class ---------------------------------------------------------------------------------------

constexpr std::string_view lanes_text = R"(
// A vector of n lanes.
template <class T, int n> struct Lanes {
    T at[n];
    T& operator[](std::int64_t lane) { return at[lane]; }
    const T& operator[](std::int64_t lane) const { return at[lane]; }
    friend Lanes operator-(Lanes a) {
        for (T& x : a.at) x = -x;
        return a;
    }
    friend Lanes operator+(Lanes a, const Lanes& b) {
        for (int lane = 0; lane < n; ++lane) a[lane] += b[lane];
        return a;
    }
    friend Lanes operator-(Lanes a, const Lanes& b) {
        for (int lane = 0; lane < n; ++lane) a[lane] -= b[lane];
        return a;
    }
    friend Lanes operator*(Lanes a, const Lanes& b) {
        for (int lane = 0; lane < n; ++lane) a[lane] *= b[lane];
        return a;
    }
    friend Lanes operator/(Lanes a, const Lanes& b) {
        for (int lane = 0; lane < n; ++lane) a[lane] /= b[lane];
        return a;
    }
};
)";

constexpr std::string_view shuffle_each_text = R"(
// Lane l is lane from[l] of a followed by b; -1: any.
template <class R, int... from, class V> swirl_inline R shuffle(const V& a, const V& b) {
    const int n = sizeof(V) / sizeof(a[0]);
    const int source[] = {from...};
    R v{};
    for (unsigned lane = 0; lane < sizeof...(from); ++lane)
        v[lane] = source[lane] < 0 ? a[0] : source[lane] < n ? a[source[lane]] : b[source[lane] - n];
    return v;
}
)";

constexpr std::string_view convert_each_text = R"(
template <class R, class T, int n> swirl_inline R convert(const Lanes<T, n>& a) {
    R v{};
    for (int lane = 0; lane < n; ++lane) v[lane] = static_cast<decltype(v[0] + v[0])>(a[lane]);
    return v;
}
)";

constexpr std::string_view less_each_text = R"(
template <class T, int n> swirl_inline Lanes<bool, n> less(const Lanes<T, n>& a, const Lanes<T, n>& b) {
    Lanes<bool, n> v{};
    for (int lane = 0; lane < n; ++lane) v[lane] = a[lane] < b[lane];
    return v;
}
)";

constexpr std::string_view select_each_text = R"(
template <class V, int n> swirl_inline V select(const Lanes<bool, n>& mask, const V& a, const V& b) {
    V v{};
    for (int lane = 0; lane < n; ++lane) v[lane] = mask[lane] ? a[lane] : b[lane];
    return v;
}
)";

// ---- vector extensions of the compiler ------------------------------------------------------------------------

constexpr std::string_view convert_text = R"(
template <class R, class V> swirl_inline R convert(const V& a) {
    return __builtin_convertvector(a, R);
}
)";

constexpr std::string_view less_text = R"(
template <class V> swirl_inline auto less(const V& a, const V& b) {
    return a < b;
}
)";

constexpr std::string_view select_text = R"(
template <class Mask, class V> swirl_inline V select(const Mask& mask, const V& a, const V& b) {
    return __builtin_convertvector(mask, decltype(a < b)) ? a : b;
}
)";

/// Clang, and GCC from 12 on, have __builtin_shufflevector; for older GCC a loop copies lanes one by one.
constexpr std::string_view shuffle_text = R"(
// Lane l is lane from[l] of a followed by b; -1: any.
template <class R, int... from, class V> swirl_inline R shuffle(const V& a, const V& b) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(a, b, from...);
#else
    const int n = sizeof(V) / sizeof(a[0]);
    const int source[] = {from...};
    R v{};
    for (unsigned lane = 0; lane < sizeof...(from); ++lane)
        v[lane] = source[lane] < 0 ? a[0] : source[lane] < n ? a[source[lane]] : b[source[lane] - n];
    return v;
#endif
}
)";

void write_class_vectors(SourceWriter& out, const PreludeNeeds& needs) {
    out.paragraph(lanes_text);
    out.line();
    for (const ir::Type type : needs.types)
        out.line("using {} = Lanes<{}, {}>;", cpp_type(type), cpp_type({type.scalar, 1}), type.lanes);
    if (needs.shuffle) out.paragraph(shuffle_each_text);
    if (needs.convert) out.paragraph(convert_each_text);
    if (needs.less) out.paragraph(less_each_text);
    if (needs.select) out.paragraph(select_each_text);
}

void declare_compiler_vector(SourceWriter& out, ir::Type type) {
    ensure(std::has_single_bit(static_cast<unsigned>(type.lanes)),
           "a vector of {} lanes has no counterpart among the compiler's vectors", type.lanes);
    out.line("typedef {} {} __attribute__((vector_size({})));", cpp_type({type.scalar, 1}), cpp_type(type),
             type.lanes * bytes_of(type.scalar));
}

void write_helpers_of_compiler_vectors(SourceWriter& out, const PreludeNeeds& needs) {
    if (needs.shuffle) out.paragraph(shuffle_text);
    if (needs.convert) out.paragraph(convert_text);
    if (needs.less) out.paragraph(less_text);
    if (needs.select) out.paragraph(select_text);
}

void write_compiler_vectors(SourceWriter& out, const PreludeNeeds& needs) {
    out.line();
    for (const ir::Type type : needs.types) declare_compiler_vector(out, type);
    write_helpers_of_compiler_vectors(out, needs);
}

/// Vectors of 8 and 16 bytes use the types of <arm_neon.h>.
void write_neon_vectors(SourceWriter& out, const PreludeNeeds& needs) {
    out.line();
    for (const ir::Type type : needs.types)
        if (const std::string_view name = neon_type(type); !name.empty())
            out.line("using {} = {};", cpp_type(type), name);
        else
            declare_compiler_vector(out, type);
    write_helpers_of_compiler_vectors(out, needs);
}

} // namespace

std::string cpp_type(ir::Type type) {
    const bool scalar = type.lanes == 1;
    switch (type.scalar) {
    case DataType::boolean: return scalar ? "bool" : "auto";
    case DataType::int8: return scalar ? "std::int8_t" : fmt::format("i8x{}", type.lanes);
    case DataType::uint8: return scalar ? "std::uint8_t" : fmt::format("u8x{}", type.lanes);
    case DataType::int16: return scalar ? "std::int16_t" : fmt::format("i16x{}", type.lanes);
    case DataType::uint16: return scalar ? "std::uint16_t" : fmt::format("u16x{}", type.lanes);
    case DataType::int32: return scalar ? "std::int32_t" : fmt::format("i32x{}", type.lanes);
    case DataType::int64: return scalar ? "std::int64_t" : fmt::format("i64x{}", type.lanes);
    case DataType::float32: return scalar ? "float" : fmt::format("f32x{}", type.lanes);
    case DataType::float64: return scalar ? "double" : fmt::format("f64x{}", type.lanes);
    default: break;
    }
    throw UserError("standalone C++ has no 16-bit floating types; store as float32 or float64");
}

std::string_view intrinsic_of(const ir::Operation& operation, CppVectors vectors) {
    return vectors == CppVectors::neon && operation.opcode == ir::Opcode::instruction
               ? operation.instruction->text
               : std::string_view();
}

bool moves_half(const ir::Operation& operation, CppVectors vectors) {
    return vectors == CppVectors::neon && operation.type == ir::Type{DataType::float32, 4} &&
           operation.active == 2 && operation.address.lane_stride == 1;
}

void PreludeNeeds::include(const ir::Program& program, const ir::Operation& operation, CppVectors vectors) {
    using ir::Opcode;
    const auto add_type = [this](ir::Type type) {
        if (type.lanes > 1 && type.scalar != DataType::boolean) types.insert(type);
    };
    add_type(operation.type);
    for (const ir::Value operand : ir::operands(operation)) add_type(program[operand].type);
    const int lanes = operation.type.lanes;
    if (operation.opcode == Opcode::power_of_two)
        (operation.type.scalar == DataType::float32 ? power_of_two_32 : power_of_two_64) = true;
    if (lanes == 1) return; // lanes extracted from a vector are subscripts
    const bool whole = operation.active == lanes && operation.address.lane_stride == 1;
    const bool half = moves_half(operation, vectors);
    switch (operation.opcode) {
    case Opcode::load: (half ? load_half : whole ? load : load_lanes) = true; break;
    case Opcode::store: (half ? store_half : whole ? store : store_lanes) = true; break;
    case Opcode::constant:
    case Opcode::splat: splat = true; break;
    case Opcode::fma:
    case Opcode::fms: multiply_add = true; break;
    case Opcode::fnma: (vectors == CppVectors::neon ? negated_multiply_add : multiply_add) = true; break;
    case Opcode::square_root: square_root = true; break;
    case Opcode::magnitude: magnitude = true; break;
    case Opcode::power_of_two: power_of_two = true; break;
    case Opcode::shuffle:
    case Opcode::instruction: shuffle |= intrinsic_of(operation, vectors).empty(); break;
    case Opcode::convert:
        if (program[operation.operands[0]].type.scalar == DataType::boolean)
            select = splat = true;
        else
            convert = true;
        break;
    case Opcode::less: less = true; break;
    case Opcode::select: select = true; break;
    default: break;
    }
}

void reserve_prelude_names(Identifiers& names) {
    for (const char* name : {"Lanes",
                             "swirl_inline",
                             "load",
                             "load_lanes",
                             "store",
                             "store_lanes",
                             "load_half",
                             "store_half",
                             "splat",
                             "multiply_add",
                             "subtract_product",
                             "square_root",
                             "magnitude",
                             "power_of_two",
                             "shuffle",
                             "convert",
                             "less",
                             "select",
                             "buffers",
                             "parameters",
                             "float",
                             "double",
                             "INFINITY",
                             "NAN",
                             "main"})
        names.reserve(name);
    for (int lanes = 1; lanes <= 64; ++lanes)
        for (const char* stem : {"i8x", "u8x", "i16x", "i32x", "i64x", "f32x", "f64x"})
            names.reserve(fmt::format("{}{}", stem, lanes));
}

void write_prelude(SourceWriter& out, const PreludeNeeds& needs, CppVectors vectors) {
    const bool neon = vectors == CppVectors::neon && needs.any();
    if (neon) out.paragraph(neon_include_text);
    out.write("#include <cmath>");
    out.write("#include <cstdint>");
    if (!needs.any()) return;
    out.write("#include <cstring>");
    out.line();
    const bool extensions = vectors == CppVectors::extensions;
    out.paragraph(inline_text);
    out.write("namespace {");
    if (extensions) {
        out.line();
        out.directive("#if defined(__GNUC__) // and Clang");
        write_compiler_vectors(out, needs);
        out.line();
        out.directive("#else");
    }
    if (neon)
        write_neon_vectors(out, needs);
    else
        write_class_vectors(out, needs);
    if (extensions) {
        out.line();
        out.directive("#endif");
    }
    if (needs.load) out.paragraph(load_text);
    if (needs.load_lanes) out.paragraph(load_lanes_text);
    if (needs.store) out.paragraph(store_text);
    if (needs.store_lanes) out.paragraph(store_lanes_text);
    if (needs.splat) out.paragraph(splat_text);
    write_function_helpers(out, needs);
    if (neon)
        write_neon_functions(out, needs);
    else if (needs.multiply_add)
        out.paragraph(multiply_add_text);
    out.line();
    out.write("} // namespace");
}

} // namespace swirl::emit
