// Tiles, signals and roles (PTX ISA: cp.async.bulk.tensor, wgmma, mbarrier, setmaxnreg).

#include "base/error.hpp"
#include "emit/ptx_kernel.hpp"
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

// The 64-bit description of a factor (PTX ISA, "Matrix Descriptor"): in its lower half the address and, from bit 16 on, the distance
// between panels; in its upper half that between groups of 8 rows, and that bytes of 128 are swizzled. All in units of 16 bytes.
constexpr int address_bits = 14;
constexpr int panel_bit = 16;
constexpr Integer swizzle_128 = 0x40000000;

Integer upper_half() { return swizzle_128 + ir::tile_pattern_bytes / ir::tile_piece_bytes; }

/// Between panels; of rows along the depth there is one, and 1 stands for that.
Integer panel_distance(const ir::TileLayout& layout, int element_bytes) {
    return layout.along_depth ? 1 : layout.panel * element_bytes / ir::tile_piece_bytes;
}

/// What the compiler of PTX gives each thread where blocks have a number of threads and `resident` of them fit a multiprocessor.
Integer registers_at_launch(const ir::Launch& launch) {
    const Integer threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const Integer share = registers_of_multiprocessor / (threads * launch.resident);
    return std::min(share, most_registers) / 8 * 8;
}

/// Whether blocks store to each other's shared memory and signal each other, so that signals order more than what the copy engine and
/// products do. Ordering that costs a barrier of all memory at each arrival.
bool signals_order_clusters(const ir::Program& program) {
    const bool store = std::any_of(program.buffers.begin(), program.buffers.end(),
                                   [](const ir::BufferInfo& buffer) { return buffer.cluster_part > 0; });
    return store &&
           std::any_of(program.operations.begin(), program.operations.end(), [](const ir::Operation& one) {
               return one.opcode == Opcode::signal_arrive && one.operands[0] != ir::no_value;
           });
}

bool is_literal(const std::string& operand) { return !operand.starts_with('%'); }

} // namespace

bool needs_special_target(const ir::Program& program) {
    bool found = false;
    ir::for_each_operation(
        program, [&](ir::Value value) { found = found || program[value].opcode == Opcode::tile_product; });
    ir::for_each_statement(program.body, [&](const ir::Statement& statement) {
        if (const auto* parts = std::get_if<ir::Roles>(&statement.node))
            for (const ir::Role& role : parts->roles) found = found || role.registers > 0;
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
    const int shift = std::countr_zero(static_cast<unsigned>(ir::tile_piece_bytes));
    std::string result = out_.result(PtxRegister::int32, "bfe.u32",
                                     {pointer, std::to_string(shift), std::to_string(address_bits)});
    scopes_.back().tiles.emplace(key, result);
    return result;
}

void PtxAddresses::prepare_tiles(const ir::Body& body) {
    ir::for_each_statement(body, [&](const ir::Statement& statement) {
        const auto* run = std::get_if<ir::Straight>(&statement.node);
        if (run == nullptr) return;
        for (const ir::Value value : run->operations)
            if (program_[value].opcode == Opcode::tile_product)
                for (const ir::Address& place : program_[value].tile->places)
                    if (is_bound(place.index) &&
                        this->place(place.buffer).space != PtxPlace::Space::registers)
                        tile_pointer(place);
    });
}

// ---- statements -----------------------------------------------------------------------------------------------

/// The generic addresses of what the driver has made of tensors. One thread has them fetched.
void PtxKernelWriter::declare_tensors() {
    for (const std::string& name : layout_.tensors) {
        maps_.emplace_back();
        if (name.empty()) continue;
        const std::string place = out_.result(PtxRegister::int64, "mov.b64", {name});
        maps_.back() = out_.result(PtxRegister::int64, "cvta.param.u64", {place});
    }
    if (std::all_of(maps_.begin(), maps_.end(), [](const std::string& map) { return map.empty(); })) return;
    const std::string done = out_.fresh_label("fetched");
    out_.jump_if(not_first_thread(), done);
    for (const std::string& map : maps_)
        if (!map.empty()) out_.code().line("prefetch.tensormap [{}];", map);
    out_.place(done);
}

/// One chain of conditions on the number of the warpgroup, which the compiler of PTX sees to be the same in all of a warp.
void PtxKernelWriter::write(const ir::Roles& parts) {
    ensure(role_barrier_ == 0, "ptx: roles within a role");
    const std::string thread = out_.result(PtxRegister::int32, "mov.u32", {"%tid.x"});
    const std::string own =
        out_.result(PtxRegister::int32, "shr.u32", {thread, std::to_string(std::countr_zero(warpgroup))});
    const std::string group = out_.result(PtxRegister::int32, "shfl.sync.idx.b32", {own, "0", "31", "-1"});
    const std::string done = out_.fresh_label("together");
    for (std::size_t k = 0; k < parts.roles.size(); ++k) {
        const ir::Role& role = parts.roles[k];
        ensure(role.first_thread % warpgroup == 0 && role.threads % warpgroup == 0,
               "ptx: role '{}' is not of whole warpgroups", role.name);
        const bool is_last = k + 1 == parts.roles.size();
        const std::string next = is_last ? done : out_.fresh_label("role");
        const Integer first = role.first_thread / warpgroup, end = first + role.threads / warpgroup;
        const std::string from =
            first == 0 ? group : out_.result(PtxRegister::int32, "sub.s32", {group, std::to_string(first)});
        out_.jump_if(out_.result(PtxRegister::predicate, "setp.ge.u32", {from, std::to_string(end - first)}),
                     next);
        role_barrier_ = static_cast<int>(k) + 1;
        role_threads_ = role.threads;
        write(role);
        if (is_last) continue;
        out_.jump(done);
        out_.place(next);
    }
    role_barrier_ = 0;
    out_.place(done);
}

void PtxKernelWriter::write(const ir::Role& role) {
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

void PtxKernelWriter::write(const ir::CopyFence& fence) {
    using Kind = ir::CopyFence::Kind;
    using What = ir::CopyFence::What;
    const bool of_products = fence.what == What::tile_products;
    const auto line = [&](std::string_view text) { out_.code().line("{};", text); };
    if (fence.kind == Kind::publish) return line("fence.proxy.async.shared::cta");
    if (fence.kind == Kind::begin) {
        ensure(of_products, "ptx: only products of tiles begin");
        return line("wgmma.fence.sync.aligned");
    }
    if (fence.what == What::stores && layout_.capability < first_with_copies)
        return; // they are stores like others
    if (fence.kind == Kind::commit)
        return line(of_products                       ? "wgmma.commit_group.sync.aligned"
                    : fence.what == What::tile_stores ? "cp.async.bulk.commit_group"
                                                      : "cp.async.commit_group");
    const std::string_view wait = of_products                       ? "wgmma.wait_group.sync.aligned"
                                  : fence.what == What::tile_stores ? "cp.async.bulk.wait_group.read"
                                                                    : "cp.async.wait_group";
    out_.code().line("{} {};", wait, fence.pending);
}

// ---- operations -------------------------------------------------------------------------------------------------

void PtxKernelWriter::write_tile(const ir::Operation& operation) {
    switch (operation.opcode) {
    case Opcode::tile_load: return tile_load(operation);
    case Opcode::tile_store:
        return out_.emit(fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group",
                                     ir::operands(operation).size()),
                         {box(operation), place(operation.address)});
    case Opcode::tile_product: return tile_product(operation);
    case Opcode::signal_initialize:
        return out_.emit("mbarrier.init.shared::cta.b64",
                         {place(operation.address), std::to_string(operation.tile->count)});
    case Opcode::signal_arrive: return signal_arrive(operation);
    case Opcode::signal_expect:
        return out_.emit("mbarrier.arrive.expect_tx.shared::cta.b64",
                         {"_", place(operation.address), std::to_string(operation.tile->count)});
    case Opcode::signal_wait: return signal_wait(operation);
    default: throw InternalError("ptx: a {} is no operation of tiles", name_of(operation.opcode));
    }
}

/// To the copy engine and other blocks too.
void PtxKernelWriter::publish_signals(const ir::Straight& straight) {
    if (std::none_of(straight.operations.begin(), straight.operations.end(),
                     [&](ir::Value value) { return program_[value].opcode == Opcode::signal_initialize; }))
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

std::string PtxKernelWriter::place(const ir::Address& address) {
    const Reached reached = reach(address);
    return addresses_.operand(reached.pointer, reached.address, 0);
}

std::string PtxKernelWriter::box(const ir::Operation& operation) {
    std::vector<std::string> coordinates;
    for (const ir::Value value : ir::operands(operation)) coordinates.push_back(word(value));
    return fmt::format("[{}, {{{}}}]", maps_.at(static_cast<std::size_t>(operation.tile->tensor)),
                       fmt::join(coordinates, ", "));
}

void PtxKernelWriter::tile_load(const ir::Operation& operation) {
    const ir::TileOperation& tile = *operation.tile;
    const std::string opcode =
        fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes{}",
                    ir::operands(operation).size(), tile.blocks == 0 ? "" : ".multicast::cluster");
    const std::string to = place(operation.address), from = box(operation), signal = place(tile.places[0]);
    if (tile.blocks == 0) return out_.emit(opcode, {to, from, signal});
    const std::string blocks = out_.result(PtxRegister::bits16, "mov.b16", {std::to_string(tile.blocks)});
    out_.emit(opcode, {to, from, signal, blocks});
}

void PtxKernelWriter::signal_arrive(const ir::Operation& operation) {
    const ir::Value block = operation.operands[0];
    if (block == ir::no_value)
        return out_.emit("mbarrier.arrive.shared::cta.b64", {"_", place(operation.address)});
    const Reached own = reach(operation.address);
    const Integer displacement = operation.address.index.constant() * size_in_bytes(ir::Scalar::int64) +
                                 addresses_.place(operation.address.buffer).origin;
    const std::string at =
        out_.result(PtxRegister::int32, "add.s32", {own.pointer, std::to_string(displacement)});
    const std::string there = out_.result(PtxRegister::int32, "mapa.shared::cluster.u32", {at, word(block)});
    out_.emit(fmt::format("mbarrier.arrive{}.shared::cluster.b64",
                          signals_order_clusters(program_) ? ".release.cluster" : ""),
              {"_", fmt::format("[{}]", there)});
}

/// Each try waits for a while.
void PtxKernelWriter::signal_wait(const ir::Operation& operation) {
    const std::string at = place(operation.address), parity = word(operation.operands[0]);
    const std::string again = out_.fresh_label("wait");
    out_.place(again);
    const std::string done =
        out_.result(PtxRegister::predicate,
                    fmt::format("mbarrier.try_wait.parity{}.shared::cta.b64",
                                signals_order_clusters(program_) ? ".acquire.cluster" : ""),
                    {at, parity});
    out_.jump_if("!" + done, again);
}

/// The description of a factor. The lower half has no carry into the upper one, and what is computed of it fits 32 bits.
std::string PtxKernelWriter::factor(const ir::Address& address, const ir::TileLayout& layout) {
    const Integer size = size_in_bytes(program_.buffers[static_cast<std::size_t>(address.buffer)].element);
    const auto pieces = [](Integer bytes) {
        ensure(bytes % ir::tile_piece_bytes == 0, "ptx: a factor at a multiple of {} bytes", bytes);
        return std::to_string(bytes / ir::tile_piece_bytes);
    };
    ensure(addresses_.alignment(address) % ir::tile_piece_bytes == 0,
           "ptx: a factor that is not aligned to {} bytes", ir::tile_piece_bytes);
    std::string low = addresses_.tile_pointer(address);
    if (address.dynamic != ir::no_value)
        low = out_.result(PtxRegister::int32, "mad.lo.s32",
                          {word(address.dynamic), pieces(address.dynamic_scale * size), low});
    const Integer bytes = address.index.constant() * size + addresses_.place(address.buffer).origin;
    const Integer rest =
        (panel_distance(layout, static_cast<int>(size)) << panel_bit) + bytes / ir::tile_piece_bytes;
    low = out_.result(PtxRegister::int32, "add.s32", {low, std::to_string(rest)});
    return out_.result(PtxRegister::int64, "mov.b64", {fmt::format("{{{}, {}}}", low, upper_half())});
}

void PtxKernelWriter::tile_product(const ir::Operation& operation) {
    const ir::TileOperation& tile = *operation.tile;
    const ir::TileInstruction& entry = *tile.instruction;
    ensure(addresses_.place(operation.address.buffer).space == PtxPlace::Space::registers,
           "ptx: sums of tiles that are not in registers");
    const auto registers = [&](const ir::Address& first, int count) {
        std::vector<std::string> names;
        for (int r = 0; r < count; ++r) names.push_back(element_register(first, r));
        return fmt::format("{{{}}}", fmt::join(names, ", "));
    };
    const bool takes_registers = addresses_.place(tile.places[0].buffer).space == PtxPlace::Space::registers;
    const std::string sums = registers(operation.address, entry.registers());
    const std::string a = takes_registers ? registers(tile.places[0], entry.factor_registers())
                                          : factor(tile.places[0], tile.layouts[0]);
    const std::string b = factor(tile.places[1], tile.layouts[1]);
    const auto turned = [&](std::size_t k) { return tile.layouts[k].along_depth ? 0 : 1; };
    const std::string layouts =
        entry.has_layouts ? fmt::format(", {}, {}", turned(0), turned(1)) : std::string();
    out_.emit(entry.text, {sums, a, b, entry.adds ? adds_ : sets_, "1", "1" + layouts});
}

} // namespace swirl::emit
