#include "passes/transpose.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::passes {
namespace {

using namespace ir;

/// One stage: register r becomes map (low or high) of the registers first(r) and second(r) before it.
struct Stage {
    enum class Pairing { partner_bit, neighbours } pairing;
    int bit; ///< partner_bit: the pair is r without and with this bit; the bit chooses low or high
    LaneMap low, high;
};

/// Lanes of the even (odd: first = 1) units of a, then of b.
LaneMap alternate_units(int lanes, int unit, int first) {
    LaneMap map;
    for (int operand = 0; operand < 2; ++operand)
        for (int u = first; u < lanes / unit; u += 2)
            for (int l = 0; l < unit; ++l)
                map.push_back(static_cast<std::int8_t>(operand * lanes + u * unit + l));
    return map;
}

/// Within every unit: pieces of `grain` lanes from the low (high: half = 1) half of a and of b in turn.
LaneMap unpack(int lanes, int unit, int grain, int half) {
    LaneMap map;
    for (int base = 0; base < lanes; base += unit)
        for (int piece = 0; piece < unit / 2; piece += grain)
            for (int operand = 0; operand < 2; ++operand)
                for (int l = 0; l < grain; ++l)
                    map.push_back(
                        static_cast<std::int8_t>(operand * lanes + base + half * unit / 2 + piece + l));
    return map;
}

class Transposition {
public:
    Transposition(RunWriter writer, std::span<const Value> inputs, bool units_first)
        : writer_(writer), lanes_(writer.program[inputs.front()].type.lanes) {
        const Type type = writer.program[inputs.front()].type;
        ensure(lanes_ >= 2 && (lanes_ & (lanes_ - 1)) == 0 && size_in_bytes(type.scalar) >= 4,
               "no transposition for vectors of {} lanes of {} bytes", lanes_, size_in_bytes(type.scalar));
        unit_ = std::min(lanes_, 16 / size_in_bytes(type.scalar));
        if (units_first) add_unit_stages();
        add_stages_within_units();
        if (!units_first) add_unit_stages();
        values_.assign(stages_.size() + 1, std::vector<Value>(static_cast<std::size_t>(lanes_), unknown));
        std::fill(values_.front().begin(), values_.front().end(), no_value);
        std::copy(inputs.begin(), inputs.end(), values_.front().begin());
    }

    std::vector<Value> results(int count) {
        std::vector<Value> results;
        for (int r = 0; r < count; ++r) results.push_back(value(stages_.size(), r));
        return results;
    }

private:
    static constexpr Value unknown = -2;

    void add_unit_stages() {
        for (int bit = unit_; bit < lanes_; bit *= 2)
            stages_.push_back({Stage::Pairing::partner_bit, bit, alternate_units(lanes_, unit_, 0),
                               alternate_units(lanes_, unit_, 1)});
    }

    void add_stages_within_units() {
        if (unit_ == 4)
            stages_.push_back(
                {Stage::Pairing::neighbours, 2, unpack(lanes_, unit_, 1, 0), unpack(lanes_, unit_, 1, 1)});
        stages_.push_back({Stage::Pairing::partner_bit, 1, unpack(lanes_, unit_, unit_ / 2, 0),
                           unpack(lanes_, unit_, unit_ / 2, 1)});
    }

    /// Register r after `stage` stages; computed when first asked for, so that nothing unneeded is emitted.
    Value value(std::size_t stage, int r) {
        Value& known = values_[stage][static_cast<std::size_t>(r)];
        if (known != unknown) return known;
        const Stage& step = stages_[stage - 1];
        int first = r & ~step.bit;
        int second = r | step.bit;
        if (step.pairing ==
            Stage::Pairing::neighbours) { // of four: 0 and 1 make 0 and 2, 2 and 3 make 1 and 3
            first = (r & ~3) | ((r & 1) << 1);
            second = first | 1;
        }
        const Value a = value(stage - 1, first);
        const Value b = value(stage - 1, second);
        return known = combine(a, b, (r & step.bit) == 0 ? step.low : step.high);
    }

    Value combine(Value a, Value b, LaneMap map) {
        if (a == no_value && b == no_value) return no_value;
        bool moves = false;
        for (int l = 0; l < lanes_; ++l) {
            auto& lane = map[static_cast<std::size_t>(l)];
            if ((lane < lanes_ ? a : b) == no_value) lane = -1;
            moves = moves || (lane >= 0 && lane % lanes_ != l);
        }
        if (a != no_value && b != no_value) return writer_.shuffle(a, b, std::move(map));
        const Value only = a != no_value ? a : b;
        return moves ? writer_.shuffle(only, only, std::move(map)) : only;
    }

    RunWriter writer_;
    int lanes_;
    int unit_; ///< lanes in 16 bytes
    std::vector<Stage> stages_;
    std::vector<std::vector<Value>> values_; ///< by stage and register
};

} // namespace

Value RunWriter::shuffle(Value a, Value b, LaneMap lane_map) {
    Operation operation;
    operation.opcode = Opcode::shuffle;
    operation.type = program[a].type;
    operation.operands = {a, b, no_value};
    operation.lane_map = std::move(lane_map);
    return append(std::move(operation));
}

// Units first from rows: few columns leave few registers alive early. The other way round, for the same reason.
std::vector<Value> columns_of_rows(RunWriter writer, std::span<const Value> rows, int count) {
    return Transposition(writer, rows, true).results(count);
}

std::vector<Value> rows_of_columns(RunWriter writer, std::span<const Value> columns, int count) {
    return Transposition(writer, columns, false).results(count);
}

} // namespace swirl::passes
