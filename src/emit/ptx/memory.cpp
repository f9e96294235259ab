// Loads, stores and atomic additions.

#include "base/error.hpp"
#include "emit/gpu_c/launch.hpp"
#include "emit/literal.hpp"
#include "emit/ptx/kernel.hpp"
#include "ir/type_rules.hpp"

namespace swirl::emit {
namespace {

std::string_view space_name(BufferLocation::Space space) {
    switch (space) {
    case BufferLocation::Space::global: return "global";
    case BufferLocation::Space::shared: return "shared";
    case BufferLocation::Space::local:
    case BufferLocation::Space::registers: return "local";
    case BufferLocation::Space::parameter: return "param";
    }
    return "";
}

std::string_view memory_type(DataType scalar) {
    ensure(scalar != DataType::boolean, "ptx: booleans are not held in memory");
    switch (scalar) {
    case DataType::int8: return "s8";
    case DataType::uint8: return "u8";
    case DataType::int16: return "s16";
    case DataType::uint16: return "u16";
    case DataType::float8_e4m3: return "b8";
    default: return is_short(scalar) ? "b16" : ptx_type(scalar);
    }
}

/// Types narrower than 32 bits in memory that threads hold as float32; they move in 16-bit registers.
bool is_unpacked(DataType scalar) { return is_short(scalar) || scalar == DataType::float8_e4m3; }

/// `{a, b}`, or `a` alone.
std::string group(std::span<const std::string> items) {
    return items.size() == 1 ? items.front() : fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string_view vector_suffix(int lanes) {
    if (lanes == 1) return "";
    return lanes == 2 ? ".v2" : ".v4";
}

} // namespace

PtxKernelWriter::Reached PtxKernelWriter::reach(const ir::Address& address) {
    const std::string_view space = space_name(addresses_.location(address.buffer).space);
    if (program_.buffers[static_cast<std::size_t>(address.buffer)].dsmem_elements_per_block > 0) {
        ensure(address.dynamic == ir::no_value, "ptx: an index into a cluster's memory that is computed");
        const ClusterAddress remote = cluster_address(program_, addresses_.ranges(), address);
        if (remote.is_computed) {
            ir::Address start = address;
            start.index = 0;
            return {start, addresses_.computed_pointer(address), "shared::cluster"};
        }
        if (remote.is_own) return {remote.within, addresses_.pointer(remote.within, ""), space};
        return {remote.within, addresses_.remote_pointer(remote), "shared::cluster"};
    }
    if (address.dynamic == ir::no_value) return {address, addresses_.pointer(address, ""), space};
    const Lanes& dynamic = values_[static_cast<std::size_t>(address.dynamic)];
    ensure(!dynamic.empty(), "ptx: an index is not computed yet");
    return {address, addresses_.pointer(address, dynamic.front()), space};
}

PtxKernelWriter::CacheHint PtxKernelWriter::cache_hint(ir::Buffer buffer, bool loads) const {
    const ir::BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
    if (addresses_.location(buffer).space != BufferLocation::Space::global) return {};
    if (info.evict_last && !evict_last_policy_.empty())
        return {loads ? ".cg.L2::cache_hint" : ".L2::cache_hint", fmt::format(", {}", evict_last_policy_)};
    if (info.non_temporal) return {".cs", ""};
    // Other blocks write it, so L1 may hold stale data.
    if (loads && info.space == ir::Space::scratch && program_.launch.cooperative_group > 1)
        return {".cg", ""};
    return {};
}

/// Number of lanes, from `lane` on, that one instruction can move.
int PtxKernelWriter::lanes_per_access(const ir::Operation& operation, int lane) const {
    const int most = is_short(operation.type.scalar) ? 8 : 4;
    return emit::lanes_per_access(operation, lane, addresses_.alignment(operation.address), most);
}

/// Four 32-bit registers: they move eight 16-bit lanes, as PTX vectors have at most four elements.
std::vector<std::string> PtxKernelWriter::fresh_32_bit_registers() {
    std::vector<std::string> words;
    for (int w = 0; w < 4; ++w) words.push_back(out_.fresh(PtxRegister::int32));
    return words;
}

std::string& PtxKernelWriter::element_register(const ir::Address& address, int lane) {
    const Integer first = program_.buffers[static_cast<std::size_t>(address.buffer)].first;
    const Integer element = address.index.constant() + lane * address.lane_stride - first;
    return registers_[static_cast<std::size_t>(address.buffer)][static_cast<std::size_t>(element)];
}

/// Copies the registers, which may change while the loaded values live.
PtxKernelWriter::Lanes PtxKernelWriter::load_registers(const ir::Operation& operation) {
    const DataType scalar = operation.type.scalar;
    Lanes result;
    for (int lane = 0; lane < operation.active; ++lane) {
        const std::string& element = element_register(operation.address, lane);
        result.push_back(
            holds_bits(scalar)
                ? unpacked(scalar, out_.result(PtxRegister::bits16, "mov.b16", {element}))
                : out_.result(ptx_register(scalar), fmt::format("mov.{}", ptx_type(scalar)), {element}));
    }
    result.resize(static_cast<std::size_t>(operation.type.lanes), ptx_literal(0, scalar));
    return result;
}

void PtxKernelWriter::store_registers(const ir::Operation& operation) {
    const Lanes& values = operand(operation, 0);
    const DataType scalar = operation.type.scalar;
    for (int lane = 0; lane < operation.active; ++lane) {
        const std::string& element = element_register(operation.address, lane);
        const std::string& value = values[static_cast<std::size_t>(lane)];
        if (holds_bits(scalar))
            out_.emit("mov.b16", {element, packed(scalar, value)});
        else
            out_.emit(fmt::format("mov.{}", ptx_type(scalar)), {element, value});
    }
}

PtxKernelWriter::Lanes PtxKernelWriter::load(const ir::Operation& operation) {
    if (addresses_.location(operation.address.buffer).space == BufferLocation::Space::registers)
        return load_registers(operation);
    const ir::Address& address = operation.address;
    const DataType scalar = operation.type.scalar;
    const BufferLocation& location = addresses_.location(address.buffer);
    const Reached from = reach(address);
    const CacheHint hint = cache_hint(address.buffer, true);
    const auto emit = [&](std::string_view form, const std::string& to, const std::string& at) {
        out_.emit(
            fmt::format("ld.{}{}{}{}", from.space, hint.suffix, location.is_constant ? ".nc" : "", form),
            {to, at + hint.policy});
    };
    const PtxRegister kind = is_unpacked(scalar) ? PtxRegister::bits16 : ptx_register(scalar);
    Lanes result;
    for (int lane = 0, count = 1; lane < operation.active; lane += count) {
        count = lanes_per_access(operation, lane);
        std::vector<std::string> registers;
        for (int l = 0; l < count; ++l) registers.push_back(out_.fresh(kind));
        const std::string at = addresses_.operand(from.pointer, from.address, lane * address.lane_stride);
        if (count <= 4) {
            emit(fmt::format("{}.{}", vector_suffix(count), memory_type(scalar)), group(registers), at);
        } else {
            const std::vector<std::string> words = fresh_32_bit_registers();
            emit(".v4.b32", group(words), at);
            for (std::size_t w = 0; w < words.size(); ++w)
                out_.emit("mov.b32", {group(std::span(registers).subspan(2 * w, 2)), words[w]});
        }
        for (const std::string& loaded : registers)
            result.push_back(is_unpacked(scalar) ? unpacked(scalar, loaded) : loaded);
    }
    if (operation.active < operation.type.lanes)
        result.resize(static_cast<std::size_t>(operation.type.lanes), ptx_literal(0, scalar));
    return result;
}

void PtxKernelWriter::store(const ir::Operation& operation) {
    const ir::Address& address = operation.address;
    const DataType scalar = operation.type.scalar;
    const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(address.buffer)];
    ensure(buffer.written, "ptx: a store to buffer '{}', which is not marked as written", buffer.name);
    if (addresses_.location(address.buffer).space == BufferLocation::Space::registers)
        return store_registers(operation);
    const CacheHint hint = cache_hint(address.buffer, false);
    const auto emit = [&](std::string_view space, std::string_view form, const std::string& at,
                          const std::string& from) {
        out_.emit(fmt::format("st.{}{}{}", space, hint.suffix, form), {at, from + hint.policy});
    };
    const Reached to = reach(address);
    const Lanes& values = operand(operation, 0);
    for (int lane = 0, count = 1; lane < operation.active; lane += count) {
        count = lanes_per_access(operation, lane);
        std::vector<std::string> registers;
        for (int l = lane; l < lane + count; ++l) {
            const std::string& value = values[static_cast<std::size_t>(l)];
            registers.push_back(is_unpacked(scalar) ? packed(scalar, value) : value);
        }
        const std::string at = addresses_.operand(to.pointer, to.address, lane * address.lane_stride);
        if (count <= 4) {
            emit(to.space, fmt::format("{}.{}", vector_suffix(count), memory_type(scalar)), at,
                 group(registers));
            continue;
        }
        const std::vector<std::string> words = fresh_32_bit_registers();
        for (std::size_t w = 0; w < words.size(); ++w)
            out_.emit("mov.b32", {words[w], group(std::span(registers).subspan(2 * w, 2))});
        emit(to.space, ".v4.b32", at, group(words));
    }
}

/// The widest copies bypass L1 (cp.async.cg).
void PtxKernelWriter::store_asynchronously(const ir::Operation& operation) {
    const ir::Operation& loaded = program_[operation.operands[0]];
    const Integer bytes = operation.type.lanes * bytes_of(operation.type.scalar);
    ensure(bytes == 4 || bytes == 8 || bytes == widest_access, "ptx: an asynchronous copy of {} bytes",
           bytes);
    ensure(addresses_.alignment(operation.address) % bytes == 0 &&
               addresses_.alignment(loaded.address) % bytes == 0,
           "ptx: an asynchronous copy of {} bytes that is not aligned to these", bytes);
    const Reached from = reach(loaded.address), to = reach(operation.address);
    out_.emit(fmt::format("cp.async.{}.shared.global", bytes == widest_access ? "cg" : "ca"),
              {addresses_.operand(to.pointer, to.address, 0),
               addresses_.operand(from.pointer, from.address, 0), std::to_string(bytes)});
}

void PtxKernelWriter::atomic_add(const ir::Operation& operation) {
    const ir::Address& address = operation.address;
    const DataType scalar = operation.type.scalar;
    const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(address.buffer)];
    ensure(buffer.written, "ptx: an addition to buffer '{}', which is not marked as written", buffer.name);
    ensure(scalar != DataType::bfloat16 || layout_.capability >= 90, "ptx: no atomic addition of {} on sm_{}",
           name_of(scalar), layout_.capability);
    const BufferLocation::Space space = addresses_.location(address.buffer).space;
    const Reached reached = reach(address);
    const std::string to = addresses_.operand(reached.pointer, reached.address, 0);
    const std::string& value = operand(operation, 0).front();
    if (space == BufferLocation::Space::local) { // private to the thread
        const bool is_bits = is_short(scalar);
        std::string old = out_.result(is_bits ? PtxRegister::bits16 : ptx_register(scalar),
                                      fmt::format("ld.local.{}", memory_type(scalar)), {to});
        if (is_bits) old = unpacked(scalar, old);
        std::string sum = out_.result(
            ptx_register(scalar),
            fmt::format("add{}.{}", scalar == DataType::int64 ? "" : ".rn", ptx_type(scalar)), {old, value});
        if (is_bits) sum = packed(scalar, sum);
        return out_.emit(fmt::format("st.local.{}", memory_type(scalar)), {to, sum});
    }
    std::string_view type = ptx_type(scalar);
    if (scalar == DataType::int64) type = "u64"; // modulo 2^64, so valid for signed too
    if (scalar == DataType::float16) type = "noftz.f16";
    if (scalar == DataType::bfloat16) type = "noftz.bf16";
    out_.emit(fmt::format("red.{}.add.{}", reached.space, type),
              {to, is_short(scalar) ? packed(scalar, value) : value});
}

} // namespace swirl::emit
