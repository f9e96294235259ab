#include "ir/interpreter_arithmetic.hpp"

#include "ir/analysis.hpp"
#include "ir/integers.hpp"
#include "ir/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace swirl::ir::interpreted {

namespace {

/// The value of an unspecified lane of a shuffle.
Cell open_lane(DataType scalar) {
    Cell cell;
    if (is_floating(scalar))
        cell.real = std::nan("");
    else
        cell.integer = INT64_C(0x5bad5bad5bad5bad);
    return cell;
}

template <class Operator>
void binary_integers(DataType scalar, Cell* result, const Cell* a, const Cell* b, std::size_t count,
                     Operator apply) {
    for (std::size_t i = 0; i < count; ++i)
        result[i].integer =
            wrapped(scalar, static_cast<std::int64_t>(apply(static_cast<std::uint64_t>(a[i].integer),
                                                            static_cast<std::uint64_t>(b[i].integer))));
}

template <class Operator>
void binary(DataType scalar, Cell* result, const Cell* a, const Cell* b, std::size_t count, Operator apply) {
    switch (scalar) {
    case DataType::float64:
        for (std::size_t i = 0; i < count; ++i) result[i].real = apply(a[i].real, b[i].real);
        return;
    case DataType::float32:
        for (std::size_t i = 0; i < count; ++i)
            result[i].real =
                static_cast<double>(apply(static_cast<float>(a[i].real), static_cast<float>(b[i].real)));
        return;
    case DataType::float8_e4m3:
        for (std::size_t i = 0; i < count; ++i)
            result[i].real = round_to(scalar, apply(a[i].real, b[i].real));
        return;
    case DataType::float16: // double has more than twice the digits, so double rounding is harmless
        for (std::size_t i = 0; i < count; ++i)
            result[i].real = round_to_float16(apply(a[i].real, b[i].real));
        return;
    case DataType::bfloat16:
        for (std::size_t i = 0; i < count; ++i)
            result[i].real = round_to_bfloat16(apply(a[i].real, b[i].real));
        return;
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32:
    case DataType::int64: return binary_integers(scalar, result, a, b, count, apply);
    default: return; // the verifier allows arithmetic of no other types
    }
}

/// Division by zero, or a quotient outside the type, may give anything.
void divide_integers(Cell* result, const Cell* a, const Cell* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_meant = b[i].integer != 0 && !(a[i].integer == INT64_MIN && b[i].integer == -1);
        result[i].integer = is_meant ? a[i].integer / b[i].integer : open_lane(DataType::int64).integer;
    }
}

void negate(DataType scalar, Cell* result, const Cell* a, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (is_floating(scalar))
            result[i].real = -a[i].real;
        else
            result[i].integer =
                wrapped(scalar, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a[i].integer)));
    }
}

/// f of each element, rounded: double has more than twice a float's digits, so rounding a root twice equals rounding
/// once.
template <class F> void unary(DataType scalar, Cell* result, const Cell* a, std::size_t count, F&& f) {
    for (std::size_t i = 0; i < count; ++i) result[i].real = round_to(scalar, f(a[i].real));
}

double power_of_two(DataType scalar, double exponent) {
    const double greatest = scalar == DataType::float32 ? 127 : 1023;
    const bool is_meant = exponent == std::floor(exponent) && exponent <= greatest && exponent > -greatest;
    return is_meant ? std::ldexp(1.0, static_cast<int>(exponent)) : open_lane(scalar).real;
}

/// sign_product·a·b + sign_addend·c; a change of sign is exact.
void fused(const DecodedOperation& op, Cell* cells, std::size_t count, double sign_product,
           double sign_addend) {
    const Cell* a = cells + op.operands[0];
    const Cell* b = cells + op.operands[1];
    const Cell* c = cells + op.operands[2];
    Cell* result = cells + op.result;
    for (std::size_t i = 0; i < count; ++i)
        result[i].real =
            fma_rounded_to(op.scalar, sign_product * a[i].real, b[i].real, sign_addend * c[i].real);
}

void less(DataType scalar, Cell* result, const Cell* a, const Cell* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        result[i].integer = is_floating(scalar) ? a[i].real < b[i].real : a[i].integer < b[i].integer;
}

std::int64_t truncated(double x) {
    const bool fits = x > -0x1p63 && x < 0x1p63;
    return fits ? static_cast<std::int64_t>(x) : INT64_MIN;
}

void convert(DataType from, DataType to, Cell* result, const Cell* a, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (is_floating(to))
            result[i].real = is_floating(from) ? round_to(to, a[i].real) : round_to(to, a[i].integer);
        else
            result[i].integer = wrapped(to, is_floating(from) ? truncated(a[i].real) : a[i].integer);
    }
}

/// Lanes are stored in the order of their bytes in memory.
void bitcast(const DecodedOperation& op, Cell* cells, std::size_t threads) {
    const int from = bytes_of(op.operand), to = bytes_of(op.scalar);
    for (std::size_t t = 0; t < threads; ++t) {
        const Cell* a = cells + op.operands[0] + t * static_cast<std::size_t>(op.operand_lanes);
        Cell* result = cells + op.result + t * static_cast<std::size_t>(op.lanes);
        for (int lane = 0; lane < op.lanes; ++lane) {
            std::uint64_t bits = 0;
            for (int byte = 0; byte < to; ++byte) {
                const int at = lane * to + byte;
                bits |= std::uint64_t{byte_of(a[at / from].integer, at % from)} << (8 * byte);
            }
            result[lane].integer = wrapped(op.scalar, static_cast<std::int64_t>(bits));
        }
    }
}

/// Lane l of the result is lane map[l] of a ‖ b.
void shuffle(const DecodedOperation& op, const std::vector<std::int8_t>& map, int from, int second,
             Cell* cells, std::size_t threads) {
    const Cell open = open_lane(op.scalar);
    const auto lanes = static_cast<std::size_t>(op.lanes);
    for (std::size_t t = 0; t < threads; ++t) {
        const Cell* a = cells + op.operands[0] + t * static_cast<std::size_t>(from);
        const Cell* b = second == 0 ? a : cells + op.operands[1] + t * static_cast<std::size_t>(second);
        Cell* result = cells + op.result + t * lanes;
        for (std::size_t l = 0; l < lanes; ++l)
            result[l] = map[l] < 0 ? open : map[l] < from ? a[map[l]] : b[map[l] - from];
    }
}

void shuffle(const DecodedOperation& op, Cell* cells, std::size_t threads) {
    shuffle(op, op.source->lane_map, op.operand_lanes, op.operand_lanes, cells, threads);
}

void splat(const DecodedOperation& op, Cell* cells, std::size_t threads) {
    const auto lanes = static_cast<std::size_t>(op.lanes);
    for (std::size_t t = 0; t < threads; ++t)
        std::fill_n(cells + op.result + t * lanes, lanes, cells[op.operands[0] + t]);
}

void select(const DecodedOperation& op, Cell* cells, std::size_t count) {
    const Cell* chooser = cells + op.operands[0];
    for (std::size_t i = 0; i < count; ++i)
        cells[op.result + i] = cells[op.operands[chooser[i].integer != 0 ? 1 : 2] + i];
}

/// Applies an instruction of a target/ table, for the group of threads from `thread` on that executes it.
void apply(const DecodedOperation& op, Cell* cells, std::size_t thread, std::vector<Lanes>& arguments) {
    const Instruction& entry = *op.source->instruction;
    arguments.resize(entry.operands.size());
    for (std::size_t i = 0; i < entry.operands.size(); ++i) {
        const Type type = entry.operands[i];
        const auto own = static_cast<std::size_t>(type.lanes);
        const std::size_t lanes = own * static_cast<std::size_t>(entry.threads);
        const Cell* from = cells + op.operands[i] + thread * own;
        arguments[i].resize(lanes);
        for (std::size_t l = 0; l < lanes; ++l)
            arguments[i][l] = is_floating(type.scalar) ? static_cast<long double>(from[l].real)
                                                       : static_cast<long double>(from[l].integer);
    }
    const Lanes lanes = entry.meaning(arguments);
    ensure(static_cast<int>(lanes.size()) == op.lanes * entry.threads,
           "the meaning of '{}' has {} lanes, not {}", entry.name, lanes.size(), op.lanes * entry.threads);
    Cell* to = cells + op.result + thread * static_cast<std::size_t>(op.lanes);
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        if (is_floating(op.scalar))
            to[l].real = round_to(op.scalar, lanes[l]);
        else
            to[l].integer = wrapped(op.scalar, static_cast<std::int64_t>(lanes[l]));
    }
}

void instruction(const DecodedOperation& op, Cell* cells, std::span<const int> threads, std::size_t all) {
    const Instruction& entry = *op.source->instruction;
    if (!entry.lane_map.empty()) {
        const int second = entry.operands.size() > 1 ? entry.operands[1].lanes : 0;
        return shuffle(op, entry.lane_map, entry.operands[0].lanes, second, cells, all);
    }
    ensure(entry.meaning != nullptr, "instruction '{}' has no meaning", entry.name);
    std::vector<Lanes> arguments;
    for (std::size_t t = 0; t < threads.size(); t += static_cast<std::size_t>(entry.threads))
        apply(op, cells, static_cast<std::size_t>(threads[t]), arguments);
}

} // namespace

void compute(const DecodedOperation& op, Cell* cells, std::span<const int> threads, std::size_t all) {
    const std::size_t count = all * static_cast<std::size_t>(op.lanes);
    Cell* result = cells + op.result;
    const Cell* a = cells + op.operands[0];
    const Cell* b = cells + op.operands[1];
    switch (op.opcode) {
    case Opcode::splat: return splat(op, cells, all);
    case Opcode::negate: return negate(op.scalar, result, a, count);
    case Opcode::add: return binary(op.scalar, result, a, b, count, std::plus<>());
    case Opcode::subtract: return binary(op.scalar, result, a, b, count, std::minus<>());
    case Opcode::multiply: return binary(op.scalar, result, a, b, count, std::multiplies<>());
    case Opcode::divide:
        if (op.scalar == DataType::int64) return divide_integers(result, a, b, count);
        return binary(op.scalar, result, a, b, count, std::divides<>());
    case Opcode::square_root:
        return unary(op.scalar, result, a, count, [](double x) { return std::sqrt(x); });
    case Opcode::magnitude: return unary(op.scalar, result, a, count, [](double x) { return std::fabs(x); });
    case Opcode::power_of_two:
        return unary(op.scalar, result, a, count, [&](double x) { return power_of_two(op.scalar, x); });
    case Opcode::fma: return fused(op, cells, count, 1, 1);
    case Opcode::fms: return fused(op, cells, count, 1, -1);
    case Opcode::fnma: return fused(op, cells, count, -1, 1);
    case Opcode::shuffle: return shuffle(op, cells, all);
    case Opcode::convert: return convert(op.operand, op.scalar, result, a, count);
    case Opcode::bitcast: return bitcast(op, cells, all);
    case Opcode::bit_and: return binary_integers(op.scalar, result, a, b, count, std::bit_and<>());
    case Opcode::bit_xor: return binary_integers(op.scalar, result, a, b, count, std::bit_xor<>());
    case Opcode::less: return less(op.operand, result, a, b, count);
    case Opcode::select: return select(op, cells, count);
    case Opcode::instruction: return instruction(op, cells, threads, all);
    case Opcode::constant:
    case Opcode::index:
    case Opcode::load:
    case Opcode::store:
    case Opcode::atomic_add:
    case Opcode::prefetch:
    case Opcode::tma_load:
    case Opcode::tma_store:
    case Opcode::wgmma:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::mbarrier_wait: break;
    }
    throw InternalError("no arithmetic: opcode {}", static_cast<int>(op.opcode));
}

Cell sum(DataType scalar, Cell a, Cell b) {
    Cell result{};
    binary(scalar, &result, &a, &b, 1, std::plus<>());
    return result;
}

} // namespace swirl::ir::interpreted
