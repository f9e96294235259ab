#include "jit/selector.hpp"

#include "base/error.hpp"
#include "target/shuffle.hpp"
#include "target/x86/mnemonic.hpp"

#include <algorithm>

namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;
using target::x86::Mnemonic;

/// The encoder's ids of a target/ instruction.
struct Encoding {
    Mnemonic mnemonic = Mnemonic::none;
    InstructionId vex = 0; ///< VEX or EVEX
    InstructionId legacy = 0;
    Form form = Form::binary;
};

constexpr Encoding encodings[] = {
    {Mnemonic::none, 0, 0, Form::binary},
    {Mnemonic::unpcklps, Inst::kIdVunpcklps, Inst::kIdUnpcklps, Form::binary},
    {Mnemonic::unpckhps, Inst::kIdVunpckhps, Inst::kIdUnpckhps, Form::binary},
    {Mnemonic::unpcklpd, Inst::kIdVunpcklpd, Inst::kIdUnpcklpd, Form::binary},
    {Mnemonic::unpckhpd, Inst::kIdVunpckhpd, Inst::kIdUnpckhpd, Form::binary},
    {Mnemonic::punpckldq, Inst::kIdVpunpckldq, Inst::kIdPunpckldq, Form::binary},
    {Mnemonic::punpckhdq, Inst::kIdVpunpckhdq, Inst::kIdPunpckhdq, Form::binary},
    {Mnemonic::punpcklqdq, Inst::kIdVpunpcklqdq, Inst::kIdPunpcklqdq, Form::binary},
    {Mnemonic::punpckhqdq, Inst::kIdVpunpckhqdq, Inst::kIdPunpckhqdq, Form::binary},
    {Mnemonic::shufps, Inst::kIdVshufps, Inst::kIdShufps, Form::binary},
    {Mnemonic::shufpd, Inst::kIdVshufpd, Inst::kIdShufpd, Form::binary},
    {Mnemonic::pshufd, Inst::kIdVpshufd, Inst::kIdPshufd, Form::unary},
    {Mnemonic::permilps, Inst::kIdVpermilps, 0, Form::unary},
    {Mnemonic::permilpd, Inst::kIdVpermilpd, 0, Form::unary},
    {Mnemonic::permpd, Inst::kIdVpermpd, 0, Form::unary},
    {Mnemonic::perm2f128, Inst::kIdVperm2f128, 0, Form::binary},
    {Mnemonic::shuff32x4, Inst::kIdVshuff32x4, 0, Form::binary},
    {Mnemonic::shuff64x2, Inst::kIdVshuff64x2, 0, Form::binary},
    {Mnemonic::alignd, Inst::kIdValignd, 0, Form::binary},
    {Mnemonic::alignq, Inst::kIdValignq, 0, Form::binary},
    {Mnemonic::blendps, Inst::kIdVblendps, 0, Form::binary},
    {Mnemonic::blendpd, Inst::kIdVblendpd, 0, Form::binary},
    {Mnemonic::blendmps, Inst::kIdVblendmps, 0, Form::binary},
    {Mnemonic::blendmpd, Inst::kIdVblendmpd, 0, Form::binary},
    {Mnemonic::permps_index, Inst::kIdVpermps, 0, Form::binary},
    {Mnemonic::permpd_index, Inst::kIdVpermpd, 0, Form::binary},
    {Mnemonic::permt2ps, Inst::kIdVpermt2ps, 0, Form::permute2},
    {Mnemonic::permt2pd, Inst::kIdVpermt2pd, 0, Form::permute2},
    {Mnemonic::expanded, 0, 0, Form::binary},
    {Mnemonic::rounded_to_bfloat16, 0, 0, Form::unary},
    {Mnemonic::pairs_of_bfloat16, 0, 0, Form::binary},
    {Mnemonic::largest_magnitude, 0, 0, Form::binary},
    {Mnemonic::least_magnitude, 0, 0, Form::binary},
    {Mnemonic::tdpbf16ps, Inst::kIdTdpbf16ps, 0, Form::accumulate},
    {Mnemonic::tdpbssd, Inst::kIdTdpbssd, 0, Form::accumulate},
    {Mnemonic::tdpbsud, Inst::kIdTdpbsud, 0, Form::accumulate},
    {Mnemonic::tdpbusd, Inst::kIdTdpbusd, 0, Form::accumulate},
    {Mnemonic::tdpbuud, Inst::kIdTdpbuud, 0, Form::accumulate},
    {Mnemonic::dpbf16ps, Inst::kIdVdpbf16ps, 0, Form::accumulate},
    {Mnemonic::dpbusd, Inst::kIdVpdpbusd, 0, Form::accumulate},
    {Mnemonic::pmaddwd, Inst::kIdVpmaddwd, Inst::kIdPmaddwd, Form::binary},
};
static_assert(std::size(encodings) == static_cast<std::size_t>(Mnemonic::count));

constexpr bool in_order() {
    for (std::size_t i = 0; i < std::size(encodings); ++i)
        if (encodings[i].mnemonic != static_cast<Mnemonic>(i)) return false;
    return true;
}
static_assert(in_order());

int immediate_of_pairs(std::span<const int> sources) {
    int immediate = 0;
    for (std::size_t lane = 0; lane < sources.size(); ++lane) immediate |= (sources[lane] & 3) << (2 * lane);
    return immediate;
}

} // namespace

void Selector::instruction(ir::Value value) {
    const ir::Operation& operation = program_[value];
    ensure(operation.instruction != nullptr, "an instruction without a table entry");
    const Encoding& encoding = encodings[operation.instruction->encoding];
    if (encoding.form == Form::accumulate) {
        const Virtual sum = use(operation.operands[0]);
        const Virtual result = new_register(block_->info(sum).kind, block_->info(sum).bytes);
        append(Form::accumulate, encoding.vex, result,
               {sum, use(operation.operands[1]), use(operation.operands[2])});
        const bool is_tile = block_->info(sum).kind == Class::tile;
        block_->operations.back().folds = !is_tile;
        block_->operations.back().folds_broadcast = !is_tile && is_evex_;
        return define(value, result);
    }
    const Virtual a = use(operation.operands[0]);
    const Virtual b = operation.instruction->operands.size() > 1 ? use(operation.operands[1]) : a;
    if (const std::optional<Virtual> made = sequence_on_32_bit_lanes(encoding.mnemonic, a, b))
        return define(value, *made);
    define(value, shuffled(*operation.instruction, a, b));
}

/// A shuffle that no pass lowered to an instruction.
void Selector::shuffle(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Type from = program_[operation.operands[0]].type;
    const int lanes = std::max(from.lanes, operation.type.lanes);
    std::vector<std::int8_t> map(static_cast<std::size_t>(lanes), -1);
    for (std::size_t lane = 0; lane < operation.lane_map.size(); ++lane) {
        const int source = operation.lane_map[lane];
        map[lane] = static_cast<std::int8_t>(source < from.lanes ? source : source - from.lanes + lanes);
    }
    const ir::Type type{from.scalar, lanes};
    const int bytes = std::max<Integer>(16, lanes * bytes_of(from.scalar));
    const Virtual a = resized(use(operation.operands[0]), bytes);
    const Virtual b =
        operation.operands[1] == operation.operands[0] ? a : resized(use(operation.operands[1]), bytes);
    define(value, resized(any_shuffle(type, a, b, map), register_bytes(program_, value)));
}

/// Integers of 32 bits are shuffled as float32.
Virtual Selector::any_shuffle(ir::Type type, Virtual a, Virtual b, const std::vector<std::int8_t>& map) {
    if (type.scalar == DataType::int32) type.scalar = DataType::float32;
    const target::ShuffleChoice choice = target::choose_shuffle(cpu_, type, map, a == b);
    return shuffled(*choice.instruction, choice.sources[0] == 0 ? a : b, choice.sources[1] == 0 ? a : b);
}

Virtual Selector::index_vector(const ir::Instruction& instruction) {
    if (instruction.result.scalar == DataType::float64)
        return raw_constant(
            pool_.add(std::vector<std::int64_t>(instruction.lane_map.begin(), instruction.lane_map.end())),
            8 * instruction.result.lanes);
    return raw_constant(
        pool_.add(std::vector<std::int32_t>(instruction.lane_map.begin(), instruction.lane_map.end())),
        4 * instruction.result.lanes);
}

/// vperm2f128, which encodes registers 0…15 only, for any register: each half selects a 128-bit block of a or b.
Virtual Selector::permuted_blocks(int immediate, int bytes, Virtual a, Virtual b) {
    const int low = immediate & 3, high = immediate >> 4 & 3;
    const Virtual result = computed(Form::binary, Inst::kIdVshuff64x2, bytes,
                                    {low < 2 ? a : b, high < 2 ? a : b}, (low & 1) | (high & 1) << 1);
    block_->operations.back().folds = true;
    return result;
}

Virtual Selector::shuffled(const ir::Instruction& instruction, Virtual a, Virtual b) {
    ensure(instruction.encoding < std::size(encodings), "'{}' is not an instruction of x86-64",
           instruction.name);
    const Encoding& encoding = encodings[instruction.encoding];
    if (encoding.mnemonic == Mnemonic::expanded) return expanded(instruction, a, b);
    const InstructionId id = pick(encoding.vex, encoding.legacy);
    ensure(id != 0, "'{}' is not an instruction of {}", instruction.name, cpu_.name);
    const int bytes = std::max<Integer>(16, instruction.result.lanes * bytes_of(instruction.result.scalar));
    Virtual result = no_register;
    if (is_evex_ && encoding.mnemonic == Mnemonic::perm2f128)
        return permuted_blocks(instruction.immediate, bytes, a, b);
    switch (encoding.mnemonic) {
    case Mnemonic::blendps:
    case Mnemonic::blendpd:
        if (is_evex_) { // these encode registers 0…15 only
            const bool is_single = encoding.mnemonic == Mnemonic::blendps;
            result =
                computed(Form::binary, is_single ? Inst::kIdVblendmps : Inst::kIdVblendmpd, bytes, {a, b});
            block_->operations.back().mask =
                masks_.register_index_of(static_cast<std::uint32_t>(instruction.immediate));
            break;
        }
        result = computed(Form::binary, id, bytes, {a, b}, instruction.immediate);
        break;
    case Mnemonic::permps_index:
    case Mnemonic::permpd_index:
        result = computed(Form::binary, id, bytes, {index_vector(instruction), a});
        break;
    case Mnemonic::permt2ps:
    case Mnemonic::permt2pd:
        result = computed(Form::permute2, id, bytes, {a, index_vector(instruction), b});
        break;
    case Mnemonic::blendmps:
    case Mnemonic::blendmpd:
        result = computed(Form::binary, id, bytes, {a, b});
        block_->operations.back().mask =
            masks_.register_index_of(static_cast<std::uint32_t>(instruction.immediate));
        break;
    default:
        result = encoding.form == Form::unary
                     ? computed(Form::unary, id, bytes, {a}, instruction.immediate)
                     : computed(Form::binary, id, bytes, {a, b}, instruction.immediate);
    }
    block_->operations.back().folds = true;
    return result;
}

/// Sequences for lane maps that no single instruction of the CPU implements.
Virtual Selector::expanded(const ir::Instruction& instruction, Virtual a, Virtual b) {
    const ir::Type type = instruction.result;
    const std::span<const std::int8_t> map = instruction.lane_map;
    const bool is_double = type.scalar == DataType::float64;
    const auto from_b = [&](std::size_t lane) { return map[lane] >= type.lanes; };
    if (is_double && type.lanes == 2) {
        const int immediate = (map[0] & 1) | (map[1] & 1) << 1;
        return computed(Form::binary, pick(Inst::kIdVshufpd, Inst::kIdShufpd), 16,
                        {from_b(0) ? b : a, from_b(1) ? b : a}, immediate);
    }
    if (type.lanes == 2) { // [a0 b0 a1 b1], then any two of them
        const Virtual both = computed(Form::binary, pick(Inst::kIdVunpcklps, Inst::kIdUnpcklps), 16, {a, b});
        int immediate = 0;
        for (std::size_t lane = 0; lane < 2; ++lane)
            immediate |= (2 * (map[lane] % 2) + (from_b(lane) ? 1 : 0)) << (2 * lane);
        return computed(Form::binary, pick(Inst::kIdVshufps, Inst::kIdShufps), 16, {both, both}, immediate);
    }
    const target::ShufflePair pair = target::find_shuffle_pair(cpu_, type, map);
    if (pair.first != nullptr) {
        const Virtual between = pair.swapped ? shuffled(*pair.first, b, a) : shuffled(*pair.first, a, b);
        return shuffled(*pair.second, between, between);
    }
    if (is_legacy_) return expanded_by_shufps(map, a, b);
    return expanded_by_blend(type, map, a, b);
}

/// Permutes each operand separately, then blends.
Virtual Selector::expanded_by_blend(ir::Type type, std::span<const std::int8_t> map, Virtual a, Virtual b) {
    std::vector<int> of_a(map.size(), 0);
    std::vector<int> of_b(map.size(), 0);
    int blend = 0;
    for (std::size_t lane = 0; lane < map.size(); ++lane) {
        const bool from_b = map[lane] >= type.lanes;
        (from_b ? of_b : of_a)[lane] = map[lane] % type.lanes;
        if (from_b) blend |= 1 << lane;
    }
    const int all = (1 << type.lanes) - 1;
    if (blend == 0) return permuted(type, of_a, a);
    if (blend == all) return permuted(type, of_b, b);
    const Virtual first = permuted(type, of_a, a);
    const Virtual second = permuted(type, of_b, b);
    return computed(Form::binary, type.scalar == DataType::float64 ? Inst::kIdVblendpd : Inst::kIdVblendps,
                    type.lanes * bytes_of(type.scalar), {first, second}, blend);
}

/// Any permutation of one operand on AVX2.
Virtual Selector::permuted(ir::Type type, std::span<const int> sources, Virtual a) {
    if (type.scalar == DataType::float64)
        return computed(Form::unary, Inst::kIdVpermpd, 32, {a}, immediate_of_pairs(sources));
    if (type.lanes == 4)
        return computed(Form::unary, Inst::kIdVpermilps, 16, {a}, immediate_of_pairs(sources));
    const Virtual index =
        raw_constant(pool_.add(std::vector<std::int32_t>(sources.begin(), sources.end())), 32);
    return computed(Form::binary, Inst::kIdVpermps, 32, {index, a});
}

/// Any four lanes of two operands by shufps, which takes its lower two lanes from its first operand and the upper two
/// from its second.
Virtual Selector::expanded_by_shufps(std::span<const std::int8_t> map, Virtual a, Virtual b) {
    const auto shufps = [&](Virtual low, Virtual high, std::array<int, 4> lanes) {
        return computed(Form::binary, Inst::kIdShufps, 16, {low, high}, immediate_of_pairs(lanes));
    };
    // For each half: one register with its two lanes, at `lanes_of_register`.
    struct Half {
        Virtual holder;
        std::array<int, 2> lanes_of_register;
    };
    std::array<Half, 2> halves;
    for (std::size_t h = 0; h < 2; ++h) {
        const int x = map[2 * h];
        const int y = map[2 * h + 1];
        const Virtual first = x >= 4 ? b : a;
        const Virtual second = y >= 4 ? b : a;
        if (first == second)
            halves[h] = {first, {x % 4, y % 4}};
        else
            halves[h] = {shufps(first, second, {x % 4, x % 4, y % 4, y % 4}), {0, 2}};
    }
    return shufps(halves[0].holder, halves[1].holder,
                  {halves[0].lanes_of_register[0], halves[0].lanes_of_register[1],
                   halves[1].lanes_of_register[0], halves[1].lanes_of_register[1]});
}

} // namespace swirl::jit
