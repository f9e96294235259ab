#include "jit/generator.hpp"

#include "base/error.hpp"
#include "jit/aliasing.hpp"

#include <bit>

namespace swirl::jit {

namespace {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

/// Alignment of an innermost loop: a cache line, and so a line of the decoded-instruction cache.
constexpr std::uint32_t innermost_alignment = 64;
constexpr std::uint32_t outer_alignment = 16;

std::array<asmjit::Label, ConstantPool::size_classes> new_labels(x86::Assembler& assembler) {
    std::array<asmjit::Label, ConstantPool::size_classes> labels;
    for (asmjit::Label& label : labels) label = assembler.newLabel();
    return labels;
}

} // namespace

Generator::Generator(const ir::Program& program, const target::Cpu& cpu, const CompileOptions& options,
                     x86::Assembler& assembler)
    : program_(program),
      cpu_(cpu),
      options_(options),
      assembler_(assembler),
      inductions_(program, frame_),
      in_registers_(program, cpu),
      pools_(new_labels(assembler)),
      addresses_(inductions_, pools_, code_),
      selector_(program, cpu, inductions_, in_registers_, frame_, pool_, masks_),
      allocator_(cpu, frame_, addresses_, masks_, code_, statistics_, in_registers_) {}

CodeStatistics Generator::run() {
    code_.reserve(2 * program_.operations.size() + 64);
    for (const ir::Statement& outermost : program_.body) {
        selector_.enter(outermost);
        statement(outermost);
    }
    prologue();
    epilogue();
    if (options_.listing) assembler_.comment(fmt::format("; {} for {}", program_.name, cpu_.name).c_str());
    entry_.encode(assembler_);
    code_.encode(assembler_);
    exit_.encode(assembler_);
    constants();
    statistics_.instructions = entry_.instructions() + code_.instructions() + exit_.instructions();
    return statistics_;
}

void Generator::body(const ir::Body& body) {
    for (const ir::Statement& inside : body) statement(inside);
}

void Generator::statement(const ir::Statement& statement) {
    if (const auto* block = std::get_if<ir::StraightLineBlock>(&statement.node))
        straight(*block);
    else if (const auto* inner = std::get_if<ir::For>(&statement.node))
        loop(*inner);
    else if (const auto* branch = std::get_if<ir::If>(&statement.node))
        condition(*branch);
}

void Generator::straight(const ir::StraightLineBlock& block) {
    select(block);
    allocator_.run(block_);
}

void Generator::select(const ir::StraightLineBlock& block) {
    selector_.run(block, block_);
    find_expiries(program_, options_.arguments_may_overlap, block_);
    for (const RegisterInfo& info : block_.registers)
        uses_wide_vectors_ = uses_wide_vectors_ || info.bytes > 16;
}

/// Loads constants of the selected block, the body of a loop, into the vector registers that its iterations leave unused: a load
/// fewer in each iteration for each of them, where loads are what filters of many taps wait for. Returns the registers.
std::uint32_t Generator::keep_constants_in_registers() {
    constexpr std::size_t longest =
        400;                 // operations: longer blocks use all registers, and take long to allocate twice
    constexpr int spare = 2; // registers: values in memory enter one only while more than one is free
    if (block_.operations.size() > longest) return 0;
    std::vector<Virtual> constants;
    for (std::size_t v = 0; v < block_.registers.size(); ++v) {
        const auto reg = static_cast<Virtual>(v);
        if (block_.info(reg).kind != Class::vector || !block_.is_leaf(reg)) continue;
        const Leaf& leaf = block_.leaf(reg);
        const bool is_constant = leaf.memory_operand.base == MemoryOperand::Base::constant && !leaf.is_zero &&
                                 leaf.mask == 0 && leaf.expires == never;
        if (is_constant) constants.push_back(reg);
    }
    if (constants.empty()) return 0;
    std::uint32_t unused = allocator_.unused_vectors(block_), kept = 0;
    for (const Virtual constant : constants) {
        if (std::popcount(unused) <= spare) break;
        const int reg = std::bit_width(unused) - 1;
        unused &= ~(1U << reg);
        kept |= 1U << reg;
        RegisterInfo& info = block_.info(constant);
        info.fixed = static_cast<std::int8_t>(reg);
        info.enters = info.outlives = true;
    }
    allocator_.load_entering(block_);
    return kept;
}

void Generator::loop(const ir::For& loop) {
    const Integer trips = InductionVariables::constant_trips(loop);
    if (trips == 0) return;
    const asmjit::Label exit = assembler_.newLabel();
    InductionAccess extent;
    if (trips < 0) extent = inductions_.resolve(-1, loop.end - loop.begin);
    inductions_.enter(loop);
    const LoopRecord& record = inductions_.loop(inductions_.current_loop());
    if (options_.listing)
        code_.comment(
            fmt::format("; for {}", program_.variables[static_cast<std::size_t>(loop.variable)].name));
    if (trips < 0)
        start_counter(record.counter, extent, exit);
    else if (trips > 1)
        start_counter(record.counter, trips - record.last_iterations);
    for (const int index : record.inductions) start_induction(inductions_.induction(index));
    if (trips == 1)
        body(loop.body);
    else
        loop_body(loop, record, exit);
    inductions_.leave();
    code_.bind(exit);
    addresses_.invalidate();
}

void Generator::loop_body(const ir::For& loop, const LoopRecord& record, const asmjit::Label& exit) {
    const asmjit::Label head = assembler_.newLabel();
    const bool counts_iterations = InductionVariables::constant_trips(loop) > 0;
    constexpr Integer fewest_trips = 4; // that pay for loading constants before them
    const auto* const only =
        loop.body.size() == 1 ? std::get_if<ir::StraightLineBlock>(&loop.body[0].node) : nullptr;
    const bool keeps_constants =
        only != nullptr && (!counts_iterations || InductionVariables::constant_trips(loop) >= fewest_trips);
    std::uint32_t kept = 0;
    if (keeps_constants) {
        select(*only);
        kept = keep_constants_in_registers();
    }
    code_.align(record.has_inner_loop ? outer_alignment : innermost_alignment);
    code_.bind(head);
    addresses_.invalidate();
    if (keeps_constants)
        allocator_.run(block_, kept);
    else
        body(loop.body);
    for (const int index : record.inductions) {
        const InductionVariable& induction = inductions_.induction(index);
        if (induction.step != 0) add_to(induction.location, induction.step, Inst::kIdAdd);
    }
    add_to(record.counter, counts_iterations ? 1 : loop.step, Inst::kIdSub);
    if (record.last_iterations > 0) return last_iterations(record, head, exit);
    code_.emit(counts_iterations ? Inst::kIdJnz : Inst::kIdJg, head);
}

/// At the end of an iteration, with the flags of the counter: it is positive before another regular iteration, 0 before
/// the first of the last ones, −1 before the second, and so on.
void Generator::last_iterations(const LoopRecord& record, const asmjit::Label& head,
                                const asmjit::Label& exit) {
    code_.emit(Inst::kIdJg, head);
    CodeBuffer::Operand counter = frame_operand(record.counter.offset);
    if (record.counter.in_register()) counter = gp(record.counter.reg);
    for (Integer last = 0; last < record.last_iterations; ++last) {
        const bool is_final = last + 1 == record.last_iterations;
        const asmjit::Label next = is_final ? exit : assembler_.newLabel();
        if (last > 0) code_.emit(Inst::kIdCmp, counter, asmjit::Imm(-last));
        code_.emit(Inst::kIdJl, next);
        for (const int index : record.inductions) {
            const InductionVariable& induction = inductions_.induction(index);
            const Integer jump = induction.jumps[static_cast<std::size_t>(last)];
            if (jump != 0) add_to(induction.location, jump, Inst::kIdAdd);
        }
        code_.emit(Inst::kIdJmp, head);
        if (!is_final) code_.bind(next);
    }
}

void Generator::start_counter(const IntegerLocation& counter, Integer trips) {
    if (counter.in_register()) {
        code_.emit(Inst::kIdMov, gp(counter.reg), asmjit::Imm(trips));
    } else if (fits_in_32_bits(trips)) {
        code_.emit(Inst::kIdMov, frame_operand(counter.offset), asmjit::Imm(trips));
    } else {
        code_.emit(Inst::kIdMov, x86::rax, asmjit::Imm(trips));
        code_.emit(Inst::kIdMov, frame_operand(counter.offset), x86::rax);
        addresses_.invalidate(general::rax);
    }
}

/// The counter holds end − variable; the loop is skipped if that is not positive.
void Generator::start_counter(const IntegerLocation& counter, const InductionAccess& extent,
                              const asmjit::Label& exit) {
    const std::int8_t reg = counter.in_register() ? counter.reg : general::rax;
    addresses_.load_integer(reg, extent);
    code_.emit(Inst::kIdTest, gp(reg), gp(reg));
    code_.emit(Inst::kIdJle, exit);
    if (counter.in_register()) return;
    code_.emit(Inst::kIdMov, frame_operand(counter.offset), x86::rax);
    addresses_.invalidate(general::rax);
}

void Generator::start_induction(const InductionVariable& induction) {
    const InductionAccess from{induction.parent, induction.offset};
    if (induction.location.in_register()) return addresses_.load_integer(induction.location.reg, from);
    addresses_.load_integer(general::rax, from);
    code_.emit(Inst::kIdMov, frame_operand(induction.location.offset), x86::rax);
    addresses_.invalidate(general::rax);
}

void Generator::add_to(const IntegerLocation& location, Integer amount, InstructionId id) {
    CodeBuffer::Operand target = frame_operand(location.offset);
    if (location.in_register()) target = gp(location.reg);
    if (fits_in_32_bits(amount)) {
        code_.emit(id, target, asmjit::Imm(amount));
        return;
    }
    code_.emit(Inst::kIdMov, x86::rax, asmjit::Imm(amount));
    code_.emit(id, target, x86::rax);
    addresses_.invalidate(general::rax);
}

void Generator::condition(const ir::If& condition) {
    const asmjit::Label otherwise = assembler_.newLabel();
    const asmjit::Label end = assembler_.newLabel();
    for (const ir::Condition& one : condition.conditions) jump_unless(one, otherwise);
    body(condition.then);
    if (!condition.otherwise.empty()) code_.emit(Inst::kIdJmp, end);
    code_.bind(otherwise);
    addresses_.invalidate();
    body(condition.otherwise);
    code_.bind(end);
    addresses_.invalidate();
}

void Generator::jump_unless(const ir::Condition& condition, const asmjit::Label& otherwise) {
    using Relation = ir::Condition::Relation;
    const InductionAccess access = inductions_.resolve(-1, condition.form);
    if (access.induction < 0) {
        const Integer value = access.displacement;
        const bool holds = condition.relation == Relation::negative      ? value < 0
                           : condition.relation == Relation::nonnegative ? value >= 0
                                                                         : value == 0;
        if (!holds) code_.emit(Inst::kIdJmp, otherwise);
        return;
    }
    const IntegerLocation& location = inductions_.induction(access.induction).location;
    CodeBuffer::Operand induction = frame_operand(location.offset);
    if (location.in_register()) induction = gp(location.reg);
    const Integer limit = -access.displacement; // form < 0 where induction < limit
    if (fits_in_32_bits(limit)) {
        code_.emit(Inst::kIdCmp, induction, asmjit::Imm(limit));
    } else {
        code_.emit(Inst::kIdMov, x86::rax, asmjit::Imm(limit));
        code_.emit(Inst::kIdCmp, induction, x86::rax);
        addresses_.invalidate(general::rax);
    }
    const InstructionId jump = condition.relation == Relation::negative      ? Inst::kIdJge
                               : condition.relation == Relation::nonnegative ? Inst::kIdJl
                                                                             : Inst::kIdJnz;
    code_.emit(jump, otherwise);
}

} // namespace swirl::jit
