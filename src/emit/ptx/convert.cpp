// Conversions between scalar types, each rounded once, and the bits in memory of types that threads hold as float32.

#include "base/error.hpp"
#include "emit/literal.hpp"
#include "emit/ptx/kernel.hpp"
#include "ir/type_rules.hpp"

namespace swirl::emit {

/// Rounds float32 to a half-precision type and converts back, which is exact.
std::string PtxKernelWriter::rounded(DataType scalar, const std::string& a) {
    return unpacked(scalar, packed(scalar, a));
}

std::string PtxKernelWriter::packed(DataType scalar, const std::string& a) {
    if (const auto known = bits_.find({a, scalar}); known != bits_.end()) return known->second;
    if (scalar == DataType::float8_e4m3) // converts two; the lower byte is wanted
        return out_.result(PtxRegister::bits16, "cvt.rn.satfinite.e4m3x2.f32", {ptx_literal(0, scalar), a});
    return out_.result(PtxRegister::bits16,
                       scalar == DataType::float16 ? "cvt.rn.f16.f32" : "cvt.rn.bf16.f32", {a});
}

/// Two E4M3 values become two float16, which hold them exactly; the upper one is 0.
std::string PtxKernelWriter::unpacked_e4m3(const std::string& bits) {
    const std::string both = out_.result(PtxRegister::int32, "cvt.rn.f16x2.e4m3x2", {bits});
    const std::string lower = out_.fresh(PtxRegister::bits16), upper = out_.fresh(PtxRegister::bits16);
    out_.emit("mov.b32", {fmt::format("{{{}, {}}}", lower, upper), both});
    std::string value = out_.result(PtxRegister::float32, "cvt.f32.f16", {lower});
    bits_.emplace(std::pair(value, DataType::float8_e4m3), bits);
    return value;
}

std::string PtxKernelWriter::unpacked(DataType scalar, const std::string& bits) {
    if (scalar == DataType::float8_e4m3) return unpacked_e4m3(bits);
    // bfloat16 is the upper half of a float32.
    const std::string value =
        scalar == DataType::float16
            ? out_.result(PtxRegister::float32, "cvt.f32.f16", {bits})
            : out_.result(PtxRegister::float32, "mov.b32", {fmt::format("{{{}, {}}}", zero_bits_, bits)});
    bits_.emplace(std::pair(value, scalar), bits);
    return value;
}

std::string PtxKernelWriter::converted(DataType from, DataType to, const std::string& a) {
    if (from == to) return a;
    const std::string_view type = ptx_type(to);
    if (from == DataType::boolean)
        return out_.result(ptx_register(to), fmt::format("selp.{}", type),
                           {ptx_literal(1, to), ptx_literal(0, to), a});
    if (is_short(to)) return to_short(from, to, a);
    const std::string_view source = ptx_type(from);
    if (type == source && is_floating(to)) return a; // half-precision types are held as float32
    if (is_short_integer(to)) return to_short_integer(from, to, a);
    const bool widens =
        is_integer(to) ? is_integer(from) : to == DataType::float64 && from != DataType::int64;
    const std::string_view rounding = widens ? "" : is_integer(to) ? ".rzi" : ".rn";
    return out_.result(ptx_register(to), fmt::format("cvt{}.{}.{}", rounding, type, source), {a});
}

/// The low bits, extended to 32 bits of equal value.
std::string PtxKernelWriter::to_short_integer(DataType from, DataType to, const std::string& a) {
    std::string value = a;
    if (is_floating(from))
        value = out_.result(PtxRegister::int32, fmt::format("cvt.rzi.s32.{}", ptx_type(from)), {a});
    else if (from == DataType::int64)
        value = out_.result(PtxRegister::int32, "cvt.u32.u64", {a});
    if (to == DataType::int32) return value;
    const std::string_view sign_extension = to == DataType::int8    ? "cvt.s32.s8"
                                            : to == DataType::uint8 ? "cvt.u32.u8"
                                            : to == DataType::int16 ? "cvt.s32.s16"
                                                                    : "cvt.u32.u16";
    return out_.result(PtxRegister::int32, sign_extension, {value});
}

std::string PtxKernelWriter::to_short(DataType from, DataType to, const std::string& a) {
    if (ptx_type(from) == "f32") return rounded(to, a);
    if (to == DataType::bfloat16) return rounded(to, to_float32_odd(from, a));
    return unpacked(to, out_.result(PtxRegister::bits16,
                                    from == DataType::int64 ? "cvt.rn.f16.s64" : "cvt.rn.f16.f64", {a}));
}

/// float32 rounded to odd: towards 0, with the last bit set if the result is inexact. Rounding it again to at least two
/// bits fewer equals rounding once (Boldo and Melquiond, 2008).
std::string PtxKernelWriter::to_float32_odd(DataType from, const std::string& a) {
    const bool is_integer = from == DataType::int64;
    const std::string cut =
        out_.result(PtxRegister::float32, is_integer ? "cvt.rz.f32.s64" : "cvt.rz.f32.f64", {a});
    const std::string back = is_integer ? out_.result(PtxRegister::int64, "cvt.rzi.s64.f32", {cut})
                                        : out_.result(PtxRegister::float64, "cvt.f64.f32", {cut});
    const std::string differs =
        out_.result(PtxRegister::predicate, is_integer ? "setp.ne.s64" : "setp.neu.f64", {a, back});
    const std::string last = out_.result(PtxRegister::int32, "selp.b32", {"1", "0", differs});
    const std::string bits = out_.result(PtxRegister::int32, "mov.b32", {cut});
    return out_.result(PtxRegister::float32, "mov.b32",
                       {out_.result(PtxRegister::int32, "or.b32", {bits, last})});
}

} // namespace swirl::emit
