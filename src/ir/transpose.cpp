#include "ir/transpose.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>

namespace swirl::ir {
namespace {

/// One layer: register r becomes map (low or high) of the registers first(r) and second(r) of the previous layer.
struct ShuffleLayer {
    enum class Pairing { partner_bit, neighbours } pairing;
    int bit; ///< partner_bit: the pair is r without and with this bit; the bit selects low or high
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

/// Within every unit: groups of `grain` lanes from the low (high: half = 1) half of a and of b alternate.
LaneMap unpack(int lanes, int unit, int grain, int half) {
    LaneMap map;
    for (int base = 0; base < lanes; base += unit)
        for (int chunk = 0; chunk < unit / 2; chunk += grain)
            for (int operand = 0; operand < 2; ++operand)
                for (int l = 0; l < grain; ++l)
                    map.push_back(
                        static_cast<std::int8_t>(operand * lanes + base + half * unit / 2 + chunk + l));
    return map;
}

class Transposition {
public:
    Transposition(BlockWriter writer, std::span<const Value> inputs, bool units_first)
        : writer_(writer), lanes_(writer.program[inputs.front()].type.lanes) {
        const Type type = writer.program[inputs.front()].type;
        ensure(lanes_ >= 2 && (lanes_ & (lanes_ - 1)) == 0 && bytes_of(type.scalar) >= 4,
               "no transposition for vectors of {} lanes of {} bytes", lanes_, bytes_of(type.scalar));
        unit_ = std::min<Integer>(lanes_, 16 / bytes_of(type.scalar));
        if (units_first) add_unit_layers();
        add_layers_within_units();
        if (!units_first) add_unit_layers();
        registers_.assign(layers_.size() + 1, std::vector<Register>(static_cast<std::size_t>(lanes_)));
        for (Register& input : registers_.front()) input.known = true;
        for (std::size_t r = 0; r < inputs.size(); ++r) registers_.front()[r].value = inputs[r];
    }

    std::vector<Value> results(int count) {
        std::vector<Value> results;
        for (int r = 0; r < count; ++r) results.push_back(value(at(layers_.size(), r)));
        return results;
    }

private:
    void add_unit_layers() {
        for (int bit = unit_; bit < lanes_; bit *= 2)
            layers_.push_back({ShuffleLayer::Pairing::partner_bit, bit, alternate_units(lanes_, unit_, 0),
                               alternate_units(lanes_, unit_, 1)});
    }

    void add_layers_within_units() {
        if (unit_ == 4)
            layers_.push_back({ShuffleLayer::Pairing::neighbours, 2, unpack(lanes_, unit_, 1, 0),
                               unpack(lanes_, unit_, 1, 1)});
        layers_.push_back({ShuffleLayer::Pairing::partner_bit, 1, unpack(lanes_, unit_, unit_ / 2, 0),
                           unpack(lanes_, unit_, unit_ / 2, 1)});
    }

    /// A register. With `moves`, its lanes are those lanes of `value`: the shuffle is deferred so that several lane
    /// permutations of one register combine into one.
    struct Register {
        Value value = no_value;
        LaneMap moves;
        bool known = false;
    };

    /// Register r after `layer` layers; computed on demand, so that nothing unneeded is emitted.
    Register& at(std::size_t layer, int r) {
        Register& result = registers_[layer][static_cast<std::size_t>(r)];
        if (result.known) return result;
        const ShuffleLayer& shuffle_layer = layers_[layer - 1];
        int first = r & ~shuffle_layer.bit;
        int second = r | shuffle_layer.bit;
        if (shuffle_layer.pairing ==
            ShuffleLayer::Pairing::neighbours) { // of four: 0 and 1 make 0 and 2, 2 and 3 make 1 and 3
            first = (r & ~3) | ((r & 1) << 1);
            second = first | 1;
        }
        // In sequence: the result includes the order of the shuffles.
        Register& a = at(layer - 1, first);
        Register& b = at(layer - 1, second);
        result = combine(a, b, (r & shuffle_layer.bit) == 0 ? shuffle_layer.low : shuffle_layer.high);
        result.known = true;
        return result;
    }

    Value value(Register& reg) {
        if (!reg.moves.empty())
            reg.value = writer_.shuffle(reg.value, reg.value, std::exchange(reg.moves, {}));
        return reg.value;
    }

    Register combine(Register& a, Register& b, const LaneMap& map) {
        if (a.value == no_value && b.value == no_value) return {};
        if (a.value != no_value && b.value != no_value) {
            const Value first = value(a); // before the second, as above
            return {writer_.shuffle(first, value(b), map), {}, true};
        }
        const Register& only = a.value != no_value ? a : b;
        const int from = a.value != no_value ? 0 : lanes_;
        Register result{only.value, LaneMap(map.size(), -1), true};
        bool moves = false;
        for (std::size_t l = 0; l < map.size(); ++l) {
            if (map[l] < from || map[l] >= from + lanes_) continue;
            const auto lane = static_cast<std::size_t>(map[l] - from);
            result.moves[l] = only.moves.empty() ? static_cast<std::int8_t>(lane) : only.moves[lane];
            moves = moves || (result.moves[l] >= 0 && result.moves[l] != static_cast<int>(l));
        }
        if (!moves) result.moves.clear();
        return result;
    }

    BlockWriter writer_;
    int lanes_;
    int unit_; ///< lanes in 16 bytes
    std::vector<ShuffleLayer> layers_;
    std::vector<std::vector<Register>> registers_; ///< by layer and register
};

} // namespace

// From rows, whole units first: few columns then keep few registers live early. The reverse for the inverse.
std::vector<Value> columns_of_rows(BlockWriter writer, std::span<const Value> rows, int count) {
    return Transposition(writer, rows, true).results(count);
}

std::vector<Value> rows_of_columns(BlockWriter writer, std::span<const Value> columns, int count) {
    return Transposition(writer, columns, false).results(count);
}

int shuffles_of_transposition(int lanes, DataType scalar, int columns) {
    const int unit = std::min<Integer>(lanes, 16 / bytes_of(scalar));
    int shuffles = unit == 4 ? (columns + 1) / 2 * 2 : 0;
    int parts = 1; // of the units that hold columns, in different registers
    for (int rows = lanes / 2; rows >= unit; rows /= 2) {
        parts = std::min(2 * parts, (columns + unit - 1) / unit);
        shuffles += rows * parts;
    }
    return shuffles + columns;
}

} // namespace swirl::ir
