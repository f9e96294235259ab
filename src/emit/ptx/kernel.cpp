#include "emit/ptx/kernel.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "ir/tile.hpp"
#include "ir/type_rules.hpp"

#include <algorithm>

namespace swirl::emit {
namespace {

constexpr int most_lanes = 16;

/// The body of a loop with barriers is long; hoisted values would occupy registers throughout.
bool has_barrier(const ir::Body& body) {
    bool found = false;
    ir::for_each_statement(body, [&](const ir::Statement& statement) {
        found = found || std::holds_alternative<ir::Barrier>(statement.node);
    });
    return found;
}

/// Whether a counter fits 32 bits, also after the increment past its last value.
bool counts_in_32_bits(const ir::VariableRanges& ranges, Variable variable, Integer step) {
    const std::optional<ir::Range> range = ranges.range(Affine::of(variable));
    return fits_32_bits(range) && fits_32_bits(ir::Range{range->low + step, range->high + step});
}

} // namespace

PtxKernelWriter::PtxKernelWriter(PtxAssembly& out, const ir::Program& program, const Usage& usage,
                                 const PtxLayout& layout)
    : out_(out),
      program_(program),
      usage_(usage),
      layout_(layout),
      addresses_(out, program, usage, layout),
      values_(program.operations.size()),
      is_copied_(program.operations.size()),
      registers_(program.buffers.size()) {
    for (const ir::Operation& operation : program.operations)
        if (operation.asynchronous && layout.capability >= first_with_copies)
            is_copied_[static_cast<std::size_t>(operation.operands[0])] = true;
}

void PtxKernelWriter::write() {
    const bool has_bfloat16 = std::any_of(
        program_.operations.begin(), program_.operations.end(),
        [](const ir::Operation& operation) { return operation.type.scalar == DataType::bfloat16; });
    if (has_bfloat16) {
        ensure(layout_.capability >= 80, "ptx: bfloat16 wants sm_80 or later, not sm_{}", layout_.capability);
        zero_bits_ = out_.result(PtxRegister::bits16, "mov.b16", {"0"});
    }
    addresses_.declare();
    declare_registers();
    if (program_.launch.cooperative_group > 1)
        awaited_arrivals_ = out_.result(PtxRegister::int64, "mov.b64", {"0"});
    if (layout_.capability >= 90 &&
        std::any_of(program_.buffers.begin(), program_.buffers.end(),
                    [](const ir::BufferInfo& buffer) { return buffer.evict_last; }))
        evict_last_policy_ =
            out_.result(PtxRegister::int64, "createpolicy.fractional.L2::evict_last.b64", {"1.0"});
    declare_tensors();
    const auto multiplies_tiles = [&](bool accumulates) {
        return std::any_of(program_.operations.begin(), program_.operations.end(),
                           [&](const ir::Operation& operation) {
                               return operation.opcode == ir::Opcode::wgmma &&
                                      operation.tile->instruction->accumulates == accumulates;
                           });
    };
    if (multiplies_tiles(true)) accumulates_ = out_.result(PtxRegister::predicate, "setp.eq.u32", {"0", "0"});
    if (multiplies_tiles(false)) overwrites_ = out_.result(PtxRegister::predicate, "setp.ne.u32", {"0", "0"});
    write(program_.body);
    out_.code().line("ret;");
}

/// Tensor-core operands are registers of bits: 32-bit ones for wgmma, pairs of half-precision elements for mma.sync.
void PtxKernelWriter::declare_registers() {
    std::vector<bool> has_factors(registers_.size());
    for (const ir::Operation& operation : program_.operations) {
        if (operation.opcode == ir::Opcode::wgmma)
            has_factors[static_cast<std::size_t>(operation.tile->addresses.front().buffer)] = true;
        if (operation.opcode == ir::Opcode::instruction && operation.instruction->threads > 1 &&
            is_short(operation.instruction->operands.front().scalar))
            half_precision_operands_ = operation.instruction->operands.front().scalar;
    }
    for (std::size_t b = 0; b < registers_.size(); ++b) {
        if (addresses_.location(static_cast<ir::Buffer>(b)).space != BufferLocation::Space::registers ||
            !usage_.buffers[b])
            continue;
        const DataType element_type = program_.buffers[b].element;
        const PtxRegister kind = has_factors[b]             ? PtxRegister::int32
                                 : holds_bits(element_type) ? PtxRegister::bits16
                                                            : ptx_register(element_type);
        for (Integer element = 0; element < program_.buffers[b].elements; ++element)
            registers_[b].push_back(out_.fresh(kind));
    }
}

void PtxKernelWriter::write(const ir::Body& body) {
    for (const ir::Statement& statement : body)
        std::visit([this](const auto& node) { write(node); }, statement.node);
}

void PtxKernelWriter::write_scoped(const ir::Body& body) {
    addresses_.open_scope();
    out_.code().indent();
    write(body);
    out_.code().outdent();
    addresses_.close_scope();
}

void PtxKernelWriter::write(const ir::StraightLineBlock& straight) {
    for (const ir::Value value : straight.operations)
        if (usage_.values[static_cast<std::size_t>(value)]) write(value);
    publish_mbarriers(straight);
}

void PtxKernelWriter::write(ir::Value value) {
    const ir::Operation& operation = program_[value];
    ensure(operation.type.lanes <= most_lanes, "ptx: a {} of {} lanes; more than {} are not supported",
           name_of(operation.opcode), operation.type.lanes, most_lanes);
    if (operation.asynchronous && layout_.capability >= first_with_copies)
        return store_asynchronously(operation);
    if (operation.opcode == ir::Opcode::store) return store(operation);
    if (is_copied_[static_cast<std::size_t>(value)]) return;
    if (operation.opcode == ir::Opcode::atomic_add) return atomic_add(operation);
    if (operation.opcode == ir::Opcode::prefetch) return; // a hint
    if (ir::is_async_tile_operation(operation.opcode)) return write_tile(operation);
    values_[static_cast<std::size_t>(value)] = lanes(operation);
}

void PtxKernelWriter::write(const ir::Barrier& barrier) {
    if (role_barrier_ != 0) {
        ensure(!barrier.of_cooperative_group && !barrier.of_cluster,
               "ptx: a barrier of several blocks in a role");
        return out_.code().line("bar.sync {}, {};", role_barrier_, role_threads_);
    }
    if (barrier.of_cooperative_group) return cooperative_barrier(barrier);
    if (!barrier.of_cluster) return out_.code().line("bar.sync 0;");
    out_.code().line("barrier.cluster.arrive.aligned;");
    out_.code().line("barrier.cluster.wait.aligned;");
}

/// A barrier among all blocks. One thread of each block counts the block's arrival and waits until all blocks have
/// arrived: it orders for its block what the surrounding block barriers order among the block's threads. The count only
/// grows, so it needs no reset.
void PtxKernelWriter::cooperative_barrier(const ir::Barrier& barrier) {
    using Half = ir::Barrier::Half;
    if (barrier.half != Half::wait) out_.code().line("bar.sync 0;");
    const std::string counter =
        addresses_.operand(addresses_.pointer(barrier.counter, ""), barrier.counter, 0);
    const std::string done = out_.fresh_label("met");
    if (barrier.half != Half::wait)
        out_.emit("add.u64",
                  {awaited_arrivals_, awaited_arrivals_, std::to_string(program_.launch.cooperative_group)});
    out_.jump_if(not_first_thread(), done);
    if (barrier.half != Half::wait) out_.emit("red.release.gpu.global.add.u64", {counter, "1"});
    if (barrier.half != Half::arrive) {
        const std::string again = out_.fresh_label("wait");
        out_.bind_label(again);
        const std::string seen = out_.result(PtxRegister::int64, "ld.acquire.gpu.global.u64", {counter});
        out_.jump_if(out_.result(PtxRegister::predicate, "setp.lt.u64", {seen, awaited_arrivals_}), again);
    }
    out_.bind_label(done);
    if (barrier.half != Half::arrive) out_.code().line("bar.sync 0;");
}

/// A predicate: this is not thread 0 of the block.
std::string PtxKernelWriter::not_first_thread() {
    std::string any = out_.result(PtxRegister::int32, "mov.u32", {"%tid.x"});
    for (const std::size_t axis : {1, 2})
        if (program_.launch.threads[axis] > 1)
            any = out_.result(
                PtxRegister::int32, "or.b32",
                {any, out_.result(PtxRegister::int32, "mov.u32", {fmt::format("%tid.{}", "xyz"[axis])})});
    return out_.result(PtxRegister::predicate, "setp.ne.u32", {any, "0"});
}

// ---- loops ----------------------------------------------------------------------------------------------------

/// Copies `start` to a fresh register, as the counter changes.
PtxInteger PtxKernelWriter::begin_counting(const Affine& start, bool wide) {
    const PtxInteger first = addresses_.converted(addresses_.value(start), wide);
    return {out_.result(wide ? PtxRegister::int64 : PtxRegister::int32, wide ? "mov.b64" : "mov.b32",
                        {first.text}),
            wide, false};
}

void PtxKernelWriter::count(const PtxInteger& counter, Integer step) {
    out_.emit(counter.is_wide ? "add.s64" : "add.s32", {counter.text, counter.text, fmt::format("{}", step)});
}

namespace {

/// A loop body that is one branch on data, variable < form + value: once false, it stays false for the rest of the
/// loop.
struct EarlyEnd {
    Affine form;
    ir::Value value;
    const ir::Body& body;
};

std::optional<EarlyEnd> early_end(const ir::For& loop) {
    if (loop.body.size() != 1 || loop.begin != Affine(0)) return std::nullopt;
    const auto* const branch = std::get_if<ir::If>(&loop.body.front().node);
    if (branch == nullptr || !branch->otherwise.empty() || branch->conditions.size() != 1)
        return std::nullopt;
    const ir::Condition& condition = branch->conditions.front();
    if (condition.value == ir::no_value || condition.relation != ir::Condition::Relation::nonnegative ||
        condition.form.coefficient(loop.variable) != -1 || !loop.inductions.empty())
        return std::nullopt;
    return EarlyEnd{condition.form + Affine::of(loop.variable) + 1, condition.value, branch->then};
}

} // namespace

/// The loop's end or the earlier one, whichever is less, but at least 0, where the loop begins.
PtxInteger PtxKernelWriter::end_of(const ir::For& loop, ir::Value value, const Affine& form, bool wide) {
    const std::string limit = out_.result(PtxRegister::int64, "add.s64",
                                          {addresses_.converted(addresses_.value(form), true).text,
                                           values_[static_cast<std::size_t>(value)].front()});
    const std::string end = addresses_.converted(addresses_.value(loop.end), true).text;
    const std::string least = out_.result(PtxRegister::int64, "min.s64", {limit, end});
    const std::string found = out_.result(PtxRegister::int64, "max.s64", {least, "0"});
    if (wide) return {found, true, false};
    return {out_.result(PtxRegister::int32, "cvt.u32.u64", {found}), false, false};
}

void PtxKernelWriter::write(const ir::For& loop) {
    ir::VariableRanges& ranges = addresses_.ranges();
    const std::optional<EarlyEnd> early = early_end(loop);
    constexpr Integer unknown = -1;
    const Integer most_trips = ranges.trip_count(loop).value_or(unknown);
    if (most_trips == 0) return;
    const Integer trips = early ? unknown : most_trips;
    if (!has_barrier(loop.body)) addresses_.prepare(loop.body);
    addresses_.prepare_tiles(loop.body);
    ranges.enter(loop);
    const bool wide = !counts_in_32_bits(ranges, loop.variable, loop.step);
    ranges.leave(loop);
    const PtxInteger end = early ? end_of(loop, early->value, early->form, wide)
                                 : addresses_.converted(addresses_.value(loop.end), wide);
    const PtxInteger counter = begin_counting(loop.begin, wide);
    std::vector<std::pair<const ir::Induction*, PtxInteger>> inductions;
    for (const ir::Induction& induction : loop.inductions) {
        if (!usage_.variables[static_cast<std::size_t>(induction.variable)]) continue;
        ensure(induction.last.empty(), "a loop of '{}' has last values of its own", program_.name);
        ranges.enter(loop);
        const bool is_wide = !counts_in_32_bits(ranges, induction.variable, induction.step);
        ranges.leave(loop);
        inductions.emplace_back(&induction, begin_counting(induction.start, is_wide));
    }
    const std::string again = out_.fresh_label("loop");
    const std::string done = out_.fresh_label("done");
    const std::string_view type = wide ? "s64" : "s32";
    if (trips == unknown)
        out_.jump_if(
            out_.result(PtxRegister::predicate, fmt::format("setp.ge.{}", type), {counter.text, end.text}),
            done);
    ranges.enter(loop);
    addresses_.open_scope();
    addresses_.bind(loop.variable, counter);
    for (const auto& [induction, value] : inductions) addresses_.bind(induction->variable, value);
    if (trips != 1) out_.bind_label(again);
    write_scoped(early ? early->body : loop.body);
    addresses_.close_scope();
    ranges.leave(loop);
    if (trips == 1) return;
    for (const auto& [induction, value] : inductions) count(value, induction->step);
    count(counter, loop.step);
    out_.jump_if(
        out_.result(PtxRegister::predicate, fmt::format("setp.lt.{}", type), {counter.text, end.text}),
        again);
    if (trips == unknown) out_.bind_label(done);
}

// ---- conditions -------------------------------------------------------------------------------------------------

/// A predicate that is true when the condition fails. It compares with a parameter instead of subtracting it.
std::string PtxKernelWriter::fails(const ir::Condition& condition) {
    const char* relation = "";
    switch (condition.relation) {
    case ir::Condition::Relation::negative: relation = "ge"; break;
    case ir::Condition::Relation::nonnegative: relation = "lt"; break;
    case ir::Condition::Relation::zero: relation = "ne"; break;
    }
    if (condition.value != ir::no_value) {
        const Lanes& value = values_[static_cast<std::size_t>(condition.value)];
        ensure(!value.empty(), "ptx: what a condition is on is not computed yet");
        const PtxInteger limit = addresses_.converted(addresses_.value(-1 * condition.form), true);
        return out_.result(PtxRegister::predicate, fmt::format("setp.{}.s64", relation),
                           {value.front(), limit.text});
    }
    const PtxSides sides(condition.form);
    const PtxInteger left = addresses_.value(sides.left);
    const PtxInteger right = addresses_.value(sides.right);
    const bool wide = left.is_wide || right.is_wide;
    return out_.result(PtxRegister::predicate, fmt::format("setp.{}.{}", relation, wide ? "s64" : "s32"),
                       {addresses_.converted(left, wide).text, addresses_.converted(right, wide).text});
}

void PtxKernelWriter::write(const ir::If& branch) {
    const std::string otherwise = out_.fresh_label("else");
    std::vector<std::string> failures; // computed before the first jump: later code may use them
    for (const ir::Condition& condition : branch.conditions) failures.push_back(fails(condition));
    for (const std::string& failure : failures) out_.jump_if(failure, otherwise);
    write_scoped(branch.then);
    if (branch.otherwise.empty()) return out_.bind_label(otherwise);
    const std::string done = out_.fresh_label("done");
    out_.jump(done);
    out_.bind_label(otherwise);
    write_scoped(branch.otherwise);
    out_.bind_label(done);
}

} // namespace swirl::emit
