#include "jit/selector.hpp"

#include "base/error.hpp"

namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;
using ir::Opcode;

struct Arithmetic {
    InstructionId f64, f32, f64_scalar, f32_scalar; ///< VEX
    InstructionId legacy_f64, legacy_f32, legacy_f64_scalar, legacy_f32_scalar;
};

constexpr Arithmetic addition = {Inst::kIdVaddpd, Inst::kIdVaddps, Inst::kIdVaddsd, Inst::kIdVaddss,
                                 Inst::kIdAddpd,  Inst::kIdAddps,  Inst::kIdAddsd,  Inst::kIdAddss};
constexpr Arithmetic subtraction = {Inst::kIdVsubpd, Inst::kIdVsubps, Inst::kIdVsubsd, Inst::kIdVsubss,
                                    Inst::kIdSubpd,  Inst::kIdSubps,  Inst::kIdSubsd,  Inst::kIdSubss};
constexpr Arithmetic multiplication = {Inst::kIdVmulpd, Inst::kIdVmulps, Inst::kIdVmulsd, Inst::kIdVmulss,
                                       Inst::kIdMulpd,  Inst::kIdMulps,  Inst::kIdMulsd,  Inst::kIdMulss};
constexpr Arithmetic division = {Inst::kIdVdivpd, Inst::kIdVdivps, Inst::kIdVdivsd, Inst::kIdVdivss,
                                 Inst::kIdDivpd,  Inst::kIdDivps,  Inst::kIdDivsd,  Inst::kIdDivss};
constexpr Arithmetic root = {Inst::kIdVsqrtpd, Inst::kIdVsqrtps, Inst::kIdVsqrtsd, Inst::kIdVsqrtss,
                             Inst::kIdSqrtpd,  Inst::kIdSqrtps,  Inst::kIdSqrtsd,  Inst::kIdSqrtss};

InstructionId id_of(const Arithmetic& ids, ir::Type type, bool is_legacy) {
    const bool is_double = type.scalar == DataType::float64;
    if (type.lanes == 1) {
        if (is_legacy) return is_double ? ids.legacy_f64_scalar : ids.legacy_f32_scalar;
        return is_double ? ids.f64_scalar : ids.f32_scalar;
    }
    if (is_legacy) return is_double ? ids.legacy_f64 : ids.legacy_f32;
    return is_double ? ids.f64 : ids.f32;
}

InstructionId multiply_add_id(Opcode opcode, ir::Type type) {
    const InstructionId id = opcode == Opcode::fma   ? Inst::kIdVfmadd132pd
                             : opcode == Opcode::fms ? Inst::kIdVfmsub132pd
                                                     : Inst::kIdVfnmadd132pd;
    constexpr InstructionId single = Inst::kIdVfmadd132ps - Inst::kIdVfmadd132pd;
    constexpr InstructionId scalar = Inst::kIdVfmadd132sd - Inst::kIdVfmadd132pd;
    static_assert(Inst::kIdVfnmadd132pd + single + scalar == Inst::kIdVfnmadd132ss);
    static_assert(Inst::kIdVfmsub132pd + single + scalar == Inst::kIdVfmsub132ss);
    return id + (type.lanes == 1 ? scalar : 0) + (type.scalar == DataType::float32 ? single : 0);
}

} // namespace

void Selector::arithmetic(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_float(operation.type);
    const int bytes = register_bytes(program_, value);
    const Virtual a = use(operation.operands[0]);
    const Virtual b = use(operation.operands[1]);
    const Arithmetic& ids = operation.opcode == Opcode::add        ? addition
                            : operation.opcode == Opcode::subtract ? subtraction
                            : operation.opcode == Opcode::multiply ? multiplication
                                                                   : division;
    define(value, computed(Form::binary, id_of(ids, operation.type, is_legacy_), bytes, {a, b}));
    X86Operation& machine = block_->operations.back();
    machine.commutative = operation.opcode == Opcode::add || operation.opcode == Opcode::multiply;
    machine.folds = true;
    machine.folds_broadcast = is_evex_;
}

/// Negation or magnitude.
void Selector::with_sign_bits(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_float(operation.type);
    const DataType scalar = operation.type.scalar;
    const int bytes = register_bytes(program_, value);
    const Virtual a = use(operation.operands[0]);
    const Bits sign = scalar == DataType::float64 ? Bits{1} << 63 : Bits{1} << 31;
    const bool negates = operation.opcode == Opcode::negate;
    const int width = std::max(bytes, 16); // bitwise operations have no scalar form
    const Virtual mask = repeated(scalar, negates ? sign : sign - 1, width);
    const InstructionId id =
        negates ? pick(scalar, Inst::kIdVxorpd, Inst::kIdVxorps, Inst::kIdXorpd, Inst::kIdXorps)
                : pick(scalar, Inst::kIdVandpd, Inst::kIdVandps, Inst::kIdAndpd, Inst::kIdAndps);
    define(value, computed(Form::binary, id, bytes, {a, mask}));
    block_->operations.back().folds = true;
    block_->operations.back().folds_broadcast = is_evex_;
}

void Selector::square_root(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_float(operation.type);
    const int bytes = register_bytes(program_, value);
    const Virtual a = use(operation.operands[0]);
    const InstructionId id = id_of(root, operation.type, is_legacy_);
    define(value, operation.type.lanes == 1 && !is_legacy_ ? computed(Form::binary, id, bytes, {a, a})
                                                           : computed(Form::unary, id, bytes, {a}));
}

/// 2^a: adding a large constant leaves a + bias as an integer in the last bits; a shift moves it to the exponent field.
void Selector::power_of_two(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_float(operation.type);
    const bool is_double = operation.type.scalar == DataType::float64;
    const int bytes = register_bytes(program_, value);
    const Virtual a = use(operation.operands[0]);
    const Virtual shift =
        constant(operation.type.scalar, is_double ? 0x1.8p52L + 1023 : 0x1.8p23L + 127, bytes);
    const Virtual sum =
        computed(Form::binary, id_of(addition, operation.type, is_legacy_), bytes, {a, shift});
    block_->operations.back().folds = true;
    block_->operations.back().folds_broadcast = is_evex_;
    const InstructionId id =
        is_double ? pick(Inst::kIdVpsllq, Inst::kIdPsllq) : pick(Inst::kIdVpslld, Inst::kIdPslld);
    define(value, computed(Form::unary, id, bytes, {sum}, is_double ? 52 : 23));
    block_->operations.back().destructive = is_legacy_;
}

void Selector::multiply_add(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_float(operation.type);
    const int bytes = register_bytes(program_, value);
    const Virtual a = use(operation.operands[0]);
    const Virtual b = use(operation.operands[1]);
    const Virtual c = use(operation.operands[2]);
    if (cpu_.has_fma) {
        define(value,
               computed(Form::fma, multiply_add_id(operation.opcode, operation.type), bytes, {a, b, c}));
    } else { // two roundings
        const Virtual product =
            computed(Form::binary, id_of(multiplication, operation.type, is_legacy_), bytes, {a, b});
        block_->operations.back().commutative = true;
        block_->operations.back().folds = true;
        const bool adds = operation.opcode == Opcode::fma;
        const InstructionId id = id_of(adds ? addition : subtraction, operation.type, is_legacy_);
        define(value, operation.opcode == Opcode::fnma ? computed(Form::binary, id, bytes, {c, product})
                                                       : computed(Form::binary, id, bytes, {product, c}));
        block_->operations.back().commutative = adds;
    }
    block_->operations.back().folds = true;
    block_->operations.back().folds_broadcast = is_evex_;
}

void Selector::integer_arithmetic(ir::Value value) {
    const ir::Operation& operation = program_[value];
    ensure(operation.type.lanes == 1, "a vector of int64");
    const Virtual a = use(operation.operands[0]);
    const Virtual result = new_register(Class::integer, 8);
    if (operation.opcode == Opcode::negate) {
        append(Form::unary, Inst::kIdNeg, result, {a}).destructive = true;
    } else {
        const InstructionId id = operation.opcode == Opcode::add        ? Inst::kIdAdd
                                 : operation.opcode == Opcode::subtract ? Inst::kIdSub
                                                                        : Inst::kIdImul;
        const Virtual b = use(operation.operands[1]);
        X86Operation& machine = append(Form::binary, id, result, {a, b});
        machine.destructive = true;
        machine.commutative = operation.opcode != Opcode::subtract;
        machine.folds = true;
    }
    define(value, result);
}

void Selector::splat(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_lanes(operation.type);
    const ir::Operation& from = program_[operation.operands[0]];
    const DataType scalar = operation.type.scalar;
    const bool is_double = scalar == DataType::float64;
    const int bytes = register_bytes(program_, value);
    if (operation.type.lanes == 1) return define(value, use(operation.operands[0]));
    if (from.opcode == Opcode::constant) return define(value, constant(scalar, from.constant, bytes));
    const Virtual a = use(operation.operands[0]);
    if (is_legacy_) {
        define(value, is_double ? computed(Form::binary, Inst::kIdUnpcklpd, bytes, {a, a})
                                : computed(Form::binary, Inst::kIdShufps, bytes, {a, a}, 0));
        return;
    }
    const InstructionId id = !is_double    ? Inst::kIdVbroadcastss
                             : bytes == 16 ? Inst::kIdVmovddup
                                           : Inst::kIdVbroadcastsd;
    if (block_->is_leaf(a)) {
        Leaf leaf = block_->leaf(a);
        leaf.load = id;
        leaf.width = width_of_bytes(bytes);
        leaf.folds = is_evex_;
        leaf.broadcast_lanes = static_cast<std::uint8_t>(bytes / bytes_of(scalar));
        define(value, new_leaf(Class::vector, bytes, leaf));
        return;
    }
    define(value, computed(Form::unary, id, bytes, {a}));
}

void Selector::convert(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Type from = program_[operation.operands[0]].type;
    const Virtual a = use(operation.operands[0]);
    if (from == operation.type) return define(value, a);
    if (bytes_of(from.scalar) < 4) return convert_short(value);
    if (from.scalar == DataType::int32 && operation.type.scalar == DataType::float32)
        return define(value, resized(computed(Form::unary, pick(Inst::kIdVcvtdq2ps, Inst::kIdCvtdq2ps),
                                              std::max(16, register_bytes(program_, value)), {a}),
                                     register_bytes(program_, value)));
    if (from.scalar == DataType::int64) return from_integer(value, a);
    if (bytes_of(operation.type.scalar) < 4) return narrow(value);
    if (from.scalar == DataType::float32 && operation.type.scalar == DataType::int32)
        return define(value, computed(Form::unary, pick(Inst::kIdVcvttps2dq, Inst::kIdCvttps2dq),
                                      std::max(16, register_bytes(program_, value)), {a}));
    require_float(from);
    require_float(operation.type);
    const bool widens = operation.type.scalar == DataType::float64;
    const int bytes = register_bytes(program_, value);
    if (from.lanes == 1) {
        const InstructionId id = widens ? pick(Inst::kIdVcvtss2sd, Inst::kIdCvtss2sd)
                                        : pick(Inst::kIdVcvtsd2ss, Inst::kIdCvtsd2ss);
        define(value, is_legacy_ ? computed(Form::unary, id, bytes, {a})
                                 : computed(Form::binary, id, bytes, {a, a}));
        return;
    }
    const InstructionId id =
        widens ? pick(Inst::kIdVcvtps2pd, Inst::kIdCvtps2pd) : pick(Inst::kIdVcvtpd2ps, Inst::kIdCvtpd2ps);
    define(value, computed(Form::unary, id, bytes, {a}));
}

/// An int64 as the nearest float.
void Selector::from_integer(ir::Value value, Virtual a) {
    const ir::Type type = program_[value].type;
    ensure(type.lanes == 1, "a conversion of int64 lanes");
    require_float(type);
    const int bytes = register_bytes(program_, value);
    const InstructionId id =
        pick(type.scalar, Inst::kIdVcvtsi2sd, Inst::kIdVcvtsi2ss, Inst::kIdCvtsi2sd, Inst::kIdCvtsi2ss);
    if (is_legacy_) return define(value, computed(Form::unary, id, bytes, {a}));
    define(value, computed(Form::binary, id, bytes, {constant(type.scalar, 0, bytes), a}));
}

/// All-ones lanes where a < b, zeros elsewhere.
void Selector::less(ir::Value value) {
    constexpr int less_ordered_quiet = 17;
    constexpr int less_legacy = 1;
    const ir::Operation& operation = program_[value];
    const ir::Type type = program_[operation.operands[0]].type;
    require_float(type);
    const int bytes = register_bytes(program_, value);
    const Virtual a = use(operation.operands[0]);
    const Virtual b = use(operation.operands[1]);
    const InstructionId id =
        pick(type.scalar, Inst::kIdVcmppd, Inst::kIdVcmpps, Inst::kIdCmppd, Inst::kIdCmpps);
    define(value, computed(is_evex_ ? Form::compare : Form::binary, id, bytes, {a, b},
                           is_legacy_ ? less_legacy : less_ordered_quiet));
}

void Selector::choose(ir::Value value) {
    const ir::Operation& operation = program_[value];
    require_float(operation.type);
    const DataType scalar = operation.type.scalar;
    const int bytes = register_bytes(program_, value);
    const ir::Value chooser = operation.operands[0];
    ensure(program_[chooser].opcode == Opcode::less &&
               bytes_of(program_[program_[chooser].operands[0]].type.scalar) == bytes_of(scalar),
           "a selection by a comparison of another size");
    const Virtual mask = use(chooser);
    const Virtual yes = use(operation.operands[1]);
    const Virtual no = use(operation.operands[2]);
    if (is_evex_) {
        const InstructionId id = scalar == DataType::float64 ? Inst::kIdVblendmpd : Inst::kIdVblendmps;
        define(value, computed(Form::select, id, bytes, {mask, yes, no}));
        return;
    }
    define(value, chosen(mask, yes, no, bytes));
}

/// yes in lanes whose mask has all bits set, no in those where it has none; without mask registers.
Virtual Selector::chosen(Virtual mask, Virtual yes, Virtual no, int bytes) {
    const Virtual taken = combined(Inst::kIdVandps, Inst::kIdAndps, mask, yes, bytes);
    const Virtual other = combined(Inst::kIdVandnps, Inst::kIdAndnps, mask, no, bytes);
    return combined(Inst::kIdVorps, Inst::kIdOrps, taken, other, bytes);
}

/// The low part of the register, or the register extended by undefined lanes.
Virtual Selector::resized(Virtual v, int bytes) {
    const int now = block_->info(v).bytes;
    if (now == bytes) return v;
    const Virtual result = computed(Form::unary, pick(Inst::kIdVmovaps, Inst::kIdMovaps), bytes, {v});
    X86Operation& operation = block_->operations.back();
    operation.result_width = operation.widths[0] = width_of_bytes(std::min(now, bytes));
    return result;
}

} // namespace swirl::jit
