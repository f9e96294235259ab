// wgmma, TMA, mbarriers and warp-specialized roles (PTX ISA: cp.async.bulk.tensor, wgmma, mbarrier, setmaxnreg).

#include "base/error.hpp"
#include "emit/ptx/kernel.hpp"
#include "ir/analysis.hpp"
#include "ir/tile.hpp"
#include "ir/type_rules.hpp"

#include <algorithm>
#include <bit>

namespace swirl::emit {
namespace {

using ir::Opcode;

constexpr unsigned warpgroup = 128;
constexpr Integer registers_of_multiprocessor = 65536;
constexpr Integer most_registers = 255; ///< of a thread

// The 64-bit matrix descriptor of an operand in shared memory (PTX ISA, "Matrix Descriptor"). Lower half: the address
// and, from bit 16 on, the distance between panels. Upper half: the distance between groups of 8 rows, and the 128-byte
// swizzle mode. All distances in units of 16 bytes.
constexpr int address_bits = 14;
constexpr int panel_bit = 16;
constexpr Integer swizzle_128 = 0x40000000;

Integer upper_half() { return swizzle_128 + ir::swizzle_pattern_bytes / ir::swizzle_chunk_bytes; }

/// Distance between panels. A K-major operand has one panel and takes 1.
Integer panel_distance(const ir::SmemTileLayout& layout, int element_bytes) {
    return layout.k_major ? 1 : layout.panel * element_bytes / ir::swizzle_chunk_bytes;
}

/// Registers per thread that ptxas assigns for this block size and `resident` blocks per multiprocessor.
Integer registers_at_launch(const ir::Launch& launch) {
    const Integer threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const Integer share = registers_of_multiprocessor / (threads * launch.resident);
    return std::min(share, most_registers) / 8 * 8;
}

/// Whether blocks store to each other's shared memory and arrive on each other's mbarriers, so that mbarriers must
/// order more than TMA and wgmma. Then each arrival costs a fence of all memory.
bool signals_order_clusters(const ir::Program& program) {
    const bool store =
        std::any_of(program.buffers.begin(), program.buffers.end(),
                    [](const ir::BufferInfo& buffer) { return buffer.dsmem_elements_per_block > 0; });
    return store &&
           std::any_of(program.operations.begin(), program.operations.end(), [](const ir::Operation& one) {
               return one.opcode == Opcode::mbarrier_arrive && one.operands[0] != ir::no_value;
           });
}

bool is_literal(const std::string& operand) { return !operand.starts_with('%'); }

} // namespace

bool needs_special_target(const ir::Program& program) {
    bool found = false;
    ir::for_each_operation(program,
                           [&](ir::Value value) { found = found || program[value].opcode == Opcode::wgmma; });
    ir::for_each_statement(program.body, [&](const ir::Statement& statement) {
        if (const auto* warp_roles = std::get_if<ir::WarpRoles>(&statement.node))
            for (const ir::WarpRole& role : warp_roles->roles) found = found || role.registers > 0;
    });
    return found;
}

// ---- addresses ------------------------------------------------------------------------------------------------

std::string PtxAddresses::tile_pointer(const ir::Address& address) {
    const std::pair key(address.buffer, live_terms(address.index));
    for (const Scope& scope : scopes_)
        if (const auto at = scope.tiles.find(key); at != scope.tiles.end()) return at->second;
    std::string pointer = fixed_pointer(address);
    if (ranges_.differs_between_threads(address.index))
        pointer = out_.result(PtxRegister::int32, "shfl.sync.idx.b32", {pointer, "0", "31", "-1"});
    const int shift = std::countr_zero(static_cast<unsigned>(ir::swizzle_chunk_bytes));
    std::string result = out_.result(PtxRegister::int32, "bfe.u32",
                                     {pointer, std::to_string(shift), std::to_string(address_bits)});
    scopes_.back().tiles.emplace(key, result);
    return result;
}

void PtxAddresses::prepare_tiles(const ir::Body& body) {
    ir::for_each_statement(body, [&](const ir::Statement& statement) {
        const auto* block = std::get_if<ir::StraightLineBlock>(&statement.node);
        if (block == nullptr) return;
        for (const ir::Value value : block->operations)
            if (program_[value].opcode == Opcode::wgmma)
                for (const ir::Address& address_operand : program_[value].tile->addresses)
                    if (is_bound(address_operand.index) &&
                        this->location(address_operand.buffer).space != BufferLocation::Space::registers)
                        tile_pointer(address_operand);
    });
}

// ---- statements -----------------------------------------------------------------------------------------------

/// The generic addresses of the tensor maps. One thread prefetches them.
void PtxKernelWriter::declare_tensors() {
    for (const std::string& name : layout_.tensors) {
        maps_.emplace_back();
        if (name.empty()) continue;
        const std::string address_operand = out_.result(PtxRegister::int64, "mov.b64", {name});
        maps_.back() = out_.result(PtxRegister::int64, "cvta.param.u64", {address_operand});
    }
    if (std::all_of(maps_.begin(), maps_.end(), [](const std::string& map) { return map.empty(); })) return;
    const std::string done = out_.fresh_label("fetched");
    out_.jump_if(not_first_thread(), done);
    for (const std::string& map : maps_)
        if (!map.empty()) out_.code().line("prefetch.tensormap [{}];", map);
    out_.bind_label(done);
}

/// One chain of branches on the warpgroup index, which ptxas knows to be warp-uniform.
void PtxKernelWriter::write(const ir::WarpRoles& warp_roles) {
    ensure(role_barrier_ == 0, "ptx: roles within a role");
    const std::string thread = out_.result(PtxRegister::int32, "mov.u32", {"%tid.x"});
    const std::string own =
        out_.result(PtxRegister::int32, "shr.u32", {thread, std::to_string(std::countr_zero(warpgroup))});
    const std::string group = out_.result(PtxRegister::int32, "shfl.sync.idx.b32", {own, "0", "31", "-1"});
    const std::string done = out_.fresh_label("together");
    for (std::size_t k = 0; k < warp_roles.roles.size(); ++k) {
        const ir::WarpRole& role = warp_roles.roles[k];
        ensure(role.first_thread % warpgroup == 0 && (role.threads % warpgroup == 0 || role.registers == 0),
               "ptx: role '{}' is not of whole warpgroups", role.name);
        const bool is_last = k + 1 == warp_roles.roles.size();
        const std::string next = is_last ? done : out_.fresh_label("role");
        const Integer first = role.first_thread / warpgroup,
                      end = first + ceil_divide(role.threads, Integer{warpgroup});
        const std::string from =
            first == 0 ? group : out_.result(PtxRegister::int32, "sub.s32", {group, std::to_string(first)});
        out_.jump_if(out_.result(PtxRegister::predicate, "setp.ge.u32", {from, std::to_string(end - first)}),
                     next);
        role_barrier_ = static_cast<int>(k) + 1;
        role_threads_ = role.threads;
        write(role);
        if (is_last) continue;
        out_.jump(done);
        out_.bind_label(next);
    }
    role_barrier_ = 0;
    out_.bind_label(done);
}

void PtxKernelWriter::write(const ir::WarpRole& role) {
    out_.code().comment(role.name);
    addresses_.open_scope();
    if (role.registers > 0) {
        ensure(program_.launch.resident > 0,
               "ptx: '{}' does not say what registers threads have at its launch", program_.name);
        const Integer before = registers_at_launch(program_.launch);
        if (role.registers != before)
            out_.code().line("setmaxnreg.{}.sync.aligned.u32 {};", role.registers > before ? "inc" : "dec",
                             role.registers);
    }
    addresses_.prepare_tiles(role.body);
    write_scoped(role.body);
    addresses_.close_scope();
}

void PtxKernelWriter::write(const ir::AsyncFence& fence) {
    using Kind = ir::AsyncFence::Kind;
    using What = ir::AsyncFence::What;
    const bool of_products = fence.what == What::wgmmas;
    const auto line = [&](std::string_view text) { out_.code().line("{};", text); };
    if (fence.kind == Kind::publish) return line("fence.proxy.async.shared::cta");
    if (fence.kind == Kind::begin) {
        ensure(of_products, "ptx: only products of tiles begin");
        return line("wgmma.fence.sync.aligned");
    }
    if (fence.what == What::stores && layout_.capability < first_with_copies) return; // ordinary stores
    if (fence.kind == Kind::commit)
        return line(of_products                      ? "wgmma.commit_group.sync.aligned"
                    : fence.what == What::tma_stores ? "cp.async.bulk.commit_group"
                                                     : "cp.async.commit_group");
    const std::string_view wait = of_products                      ? "wgmma.wait_group.sync.aligned"
                                  : fence.what == What::tma_stores ? "cp.async.bulk.wait_group.read"
                                                                   : "cp.async.wait_group";
    out_.code().line("{} {};", wait, fence.pending);
}

// ---- operations -------------------------------------------------------------------------------------------------

void PtxKernelWriter::write_tile(const ir::Operation& operation) {
    switch (operation.opcode) {
    case Opcode::tma_load: return tma_load(operation);
    case Opcode::tma_store:
        return out_.emit(fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group",
                                     ir::operands(operation).size()),
                         {box(operation), address_operand(operation.address)});
    case Opcode::wgmma: return wgmma(operation);
    case Opcode::mbarrier_init:
        return out_.emit("mbarrier.init.shared::cta.b64",
                         {address_operand(operation.address), std::to_string(operation.tile->count)});
    case Opcode::mbarrier_arrive: return mbarrier_arrive(operation);
    case Opcode::mbarrier_arrive_expect_tx:
        return out_.emit("mbarrier.arrive.expect_tx.shared::cta.b64",
                         {"_", address_operand(operation.address), std::to_string(operation.tile->count)});
    case Opcode::mbarrier_wait: return mbarrier_wait(operation);
    default: throw InternalError("ptx: a {} is no operation of tiles", name_of(operation.opcode));
    }
}

/// Makes initialised mbarriers visible to TMA and to other blocks.
void PtxKernelWriter::publish_mbarriers(const ir::StraightLineBlock& straight) {
    if (std::none_of(straight.operations.begin(), straight.operations.end(),
                     [&](ir::Value value) { return program_[value].opcode == Opcode::mbarrier_init; }))
        return;
    out_.code().line("fence.mbarrier_init.release.cluster;");
    out_.code().line("fence.proxy.async.shared::cta;");
}

/// The lower half of an int64.
std::string PtxKernelWriter::word(ir::Value value) {
    const Lanes& lanes = values_[static_cast<std::size_t>(value)];
    ensure(!lanes.empty(), "ptx: an operand of tiles is not computed yet");
    if (is_literal(lanes.front())) return lanes.front();
    return out_.result(PtxRegister::int32, "cvt.u32.u64", {lanes.front()});
}

std::string PtxKernelWriter::address_operand(const ir::Address& address) {
    const Reached reached = reach(address);
    return addresses_.operand(reached.pointer, reached.address, 0);
}

std::string PtxKernelWriter::box(const ir::Operation& operation) {
    std::vector<std::string> coordinates;
    for (const ir::Value value : ir::operands(operation)) coordinates.push_back(word(value));
    return fmt::format("[{}, {{{}}}]", maps_.at(static_cast<std::size_t>(operation.tile->tensor)),
                       fmt::join(coordinates, ", "));
}

void PtxKernelWriter::tma_load(const ir::Operation& operation) {
    const ir::AsyncTileOperation& tile = *operation.tile;
    const std::string opcode =
        fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes{}",
                    ir::operands(operation).size(), tile.blocks == 0 ? "" : ".multicast::cluster");
    const std::string to = address_operand(operation.address), from = box(operation),
                      mbarrier = address_operand(tile.addresses[0]);
    if (tile.blocks == 0) return out_.emit(opcode, {to, from, mbarrier});
    const std::string blocks = out_.result(PtxRegister::bits16, "mov.b16", {std::to_string(tile.blocks)});
    out_.emit(opcode, {to, from, mbarrier, blocks});
}

void PtxKernelWriter::mbarrier_arrive(const ir::Operation& operation) {
    const ir::Value block = operation.operands[0];
    if (block == ir::no_value)
        return out_.emit("mbarrier.arrive.shared::cta.b64", {"_", address_operand(operation.address)});
    const Reached own = reach(operation.address);
    const Integer displacement = operation.address.index.constant() * bytes_of(DataType::int64) +
                                 addresses_.location(operation.address.buffer).origin;
    const std::string at =
        out_.result(PtxRegister::int32, "add.s32", {own.pointer, std::to_string(displacement)});
    const std::string there = out_.result(PtxRegister::int32, "mapa.shared::cluster.u32", {at, word(block)});
    out_.emit(fmt::format("mbarrier.arrive{}.shared::cluster.b64",
                          signals_order_clusters(program_) ? ".release.cluster" : ""),
              {"_", fmt::format("[{}]", there)});
}

/// Each try_wait suspends the thread for a while.
void PtxKernelWriter::mbarrier_wait(const ir::Operation& operation) {
    const std::string at = address_operand(operation.address), parity = word(operation.operands[0]);
    const std::string again = out_.fresh_label("wait");
    out_.bind_label(again);
    const std::string done =
        out_.result(PtxRegister::predicate,
                    fmt::format("mbarrier.try_wait.parity{}.shared::cta.b64",
                                signals_order_clusters(program_) ? ".acquire.cluster" : ""),
                    {at, parity});
    out_.jump_if("!" + done, again);
}

/// The matrix descriptor of an operand. The lower half never carries into the upper, so 32-bit arithmetic suffices for
/// it.
std::string PtxKernelWriter::tile_operand(const ir::Address& address, const ir::SmemTileLayout& layout) {
    const Integer size = bytes_of(program_.buffers[static_cast<std::size_t>(address.buffer)].element);
    const auto chunks = [](Integer bytes) {
        ensure(bytes % ir::swizzle_chunk_bytes == 0, "ptx: an operand at a multiple of {} bytes", bytes);
        return std::to_string(bytes / ir::swizzle_chunk_bytes);
    };
    ensure(addresses_.alignment(address) % ir::swizzle_chunk_bytes == 0,
           "ptx: an operand not aligned to {} bytes", ir::swizzle_chunk_bytes);
    std::string low = addresses_.tile_pointer(address);
    if (address.dynamic != ir::no_value)
        low = out_.result(PtxRegister::int32, "mad.lo.s32",
                          {word(address.dynamic), chunks(address.dynamic_scale * size), low});
    const Integer bytes = address.index.constant() * size + addresses_.location(address.buffer).origin;
    const Integer rest =
        (panel_distance(layout, static_cast<int>(size)) << panel_bit) + bytes / ir::swizzle_chunk_bytes;
    low = out_.result(PtxRegister::int32, "add.s32", {low, std::to_string(rest)});
    return out_.result(PtxRegister::int64, "mov.b64", {fmt::format("{{{}, {}}}", low, upper_half())});
}

void PtxKernelWriter::wgmma(const ir::Operation& operation) {
    const ir::AsyncTileOperation& tile = *operation.tile;
    const ir::WgmmaInstruction& entry = *tile.instruction;
    ensure(addresses_.location(operation.address.buffer).space == BufferLocation::Space::registers,
           "ptx: sums of tiles that are not in registers");
    const auto registers = [&](const ir::Address& first, int count) {
        std::vector<std::string> names;
        for (int r = 0; r < count; ++r) names.push_back(element_register(first, r));
        return fmt::format("{{{}}}", fmt::join(names, ", "));
    };
    const bool a_in_registers =
        addresses_.location(tile.addresses[0].buffer).space == BufferLocation::Space::registers;
    const std::string sums = registers(operation.address, entry.registers());
    const std::string a = a_in_registers ? registers(tile.addresses[0], entry.a_registers())
                                         : tile_operand(tile.addresses[0], tile.layouts[0]);
    const std::string b = tile_operand(tile.addresses[1], tile.layouts[1]);
    const auto is_transposed = [&](std::size_t k) { return tile.layouts[k].k_major ? 0 : 1; };
    const std::string layouts =
        entry.has_layouts ? fmt::format(", {}, {}", is_transposed(0), is_transposed(1)) : std::string();
    out_.emit(entry.text, {sums, a, b, entry.accumulates ? accumulates_ : overwrites_, "1", "1" + layouts});
}

} // namespace swirl::emit
