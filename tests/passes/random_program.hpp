#pragma once

#include "ir/builder.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace swirl::passes {

/// A random kernel of the kind that lower/ makes: serial and unrolled loops around a loop over lanes, whose body loads
/// from an input, a table, a scratch buffer and a buffer that is changed in place, computes, and stores. All values
/// are multiples of powers of two, and small enough for exact arithmetic in the type; constants are powers of two.
class RandomProgram {
public:
    struct Shape {
        DataType scalar = DataType::float64;
        int trips = 4; ///< of the loop over lanes
        int operations = 40;
        int bits =
            18; ///< of the largest values, fractions included; 18 and 40 leave float32 and float64 exact
    };

    RandomProgram(unsigned seed, Shape shape) : random_(seed), shape_(shape), builder_("random") {}

    ir::Program make() {
        const Integer trips = shape_.trips;
        columns_ = random_int(1, 9);
        in_ = builder_.input("in", shape_.scalar, 4 * size());
        out_ = builder_.output("out", shape_.scalar, 4 * size());
        in_place_ = builder_.output("in_place", shape_.scalar, 4 * size());
        scratch_ = builder_.scratch("scratch", shape_.scalar, 4 * size());
        std::vector<long double> contents;
        for (Integer i = 0; i < 4 * size(); ++i) contents.push_back(random_int(-2, 2));
        table_ = builder_.table("table", shape_.scalar, contents);
        planar_in_ = flip();
        planar_out_ = flip();
        reversed_ = random_int(0, 4) == 0;
        const auto outer_kind = flip() ? ir::For::Kind::serial : ir::For::Kind::unrolled;
        builder_.for_loop("i", 0, random_int(1, 3), 1, outer_kind, [&](const Affine& i) {
            builder_.for_loop("l", 0, trips, 1, ir::For::Kind::vector,
                              [&](const Affine& l) { body(i, l, true); });
            if (flip())
                builder_.for_loop("m", 0, trips, 1, ir::For::Kind::vector,
                                  [&](const Affine& m) { body(i, m, false); });
        });
        return builder_.finish();
    }

private:
    struct Known {
        ir::Value value;
        int bits; ///< magnitude and fraction together
    };

    Integer size() const { return columns_ * shape_.trips + 40; }
    int random_int(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool flip() { return random_int(0, 1) == 1; }

    /// Element `column` of iteration l: neighbours in memory are columns, or iterations if planar.
    Affine element(const Affine& i, const Affine& l, Integer column, bool planar) const {
        Affine lane = l;
        if (reversed_) lane = Affine(shape_.trips - 1) - l;
        return size() * i + (planar ? lane + column * shape_.trips : columns_ * lane + column);
    }

    void body(const Affine& i, const Affine& l, bool first) {
        known_.clear();
        if (first) stored_.assign(static_cast<std::size_t>(columns_), false);
        for (int k = 0; k < random_int(1, 2 * static_cast<int>(columns_)); ++k) load(i, l);
        constants();
        for (int k = 0; k < shape_.operations; ++k) {
            operation();
            if (random_int(0, 7) == 0) load(i, l);
            if (random_int(0, 7) == 0) store(i, l);
        }
        for (Integer column = 0; column < columns_; ++column) {
            builder_.store(out_, element(i, l, column, planar_out_), pick(bits() - 1).value);
            if (first) store_scratch(i, l, column, pick(10).value);
        }
    }

    void load(const Affine& i, const Affine& l) {
        const Integer column = random_int(0, static_cast<int>(columns_) - 1);
        switch (random_int(0, 5)) {
        case 0: return know(builder_.load(table_, size() * i + column + Affine(random_int(0, 1))), 2);
        case 1: return know(builder_.load(table_, element(i, l, column, true)), 2);
        case 2: return know(builder_.load(in_place_, element(i, l, column, planar_in_)), 5);
        case 3:
            if (stored_[static_cast<std::size_t>(column)])
                return know(builder_.load(scratch_, element(i, l, column, planar_out_)), 10);
            return know(builder_.load(in_, element(i, l, column, false)), 5);
        case 4: return know(builder_.load(in_, 2 * l + Affine(random_int(0, 1))), 5);
        default: return know(builder_.load(in_, element(i, l, column, planar_in_)), 5);
        }
    }

    void store(const Affine& i, const Affine& l) {
        const Integer column = random_int(0, static_cast<int>(columns_) - 1);
        const Affine at = element(i, l, column, planar_in_);
        const Known stored = pick(4);
        if (flip())
            builder_.store(in_place_, at, stored.value);
        else
            store_scratch(i, l, column, stored.value);
    }

    void store_scratch(const Affine& i, const Affine& l, Integer column, ir::Value value) {
        builder_.store(scratch_, element(i, l, column, planar_out_), value);
        stored_[static_cast<std::size_t>(column)] = true;
    }

    void constants() {
        for (const long double c : {0.0L, 1.0L, -1.0L, 2.0L, -2.0L, 0.5L, -0.5L, 4.0L, -4.0L})
            if (flip())
                know(builder_.constant({shape_.scalar, 1}, c), c == 0 ? 0 : c == 4 || c == -4 ? 2 : 1);
        know(builder_.constant({shape_.scalar, 1}, 1), 0);
    }

    void operation() {
        const int largest = bits() - 2;
        switch (random_int(0, 8)) {
        case 0: {
            const Known a = pick(largest);
            return know(builder_.negate(a.value), a.bits);
        }
        case 1:
        case 2: {
            const Known a = pick(largest), b = pick(largest);
            return know(builder_.add(a.value, b.value), std::max(a.bits, b.bits) + 1);
        }
        case 3:
        case 4: {
            const Known a = pick(largest), b = pick(largest);
            return know(builder_.subtract(a.value, b.value), std::max(a.bits, b.bits) + 1);
        }
        case 5:
        case 6: {
            const Known a = pick(largest / 2), b = pick(largest / 2);
            return know(builder_.multiply(a.value, b.value), a.bits + b.bits);
        }
        default: {
            const Known a = pick(largest / 3), b = pick(largest / 3), c = pick(largest);
            const int result = std::max(a.bits + b.bits, c.bits) + 1;
            switch (random_int(0, 2)) {
            case 0: return know(builder_.fma(a.value, b.value, c.value), result);
            case 1: return know(builder_.fms(a.value, b.value, c.value), result);
            default: return know(builder_.fnma(a.value, b.value, c.value), result);
            }
        }
        }
    }

    int bits() const { return shape_.bits; }
    void know(ir::Value value, int bits) { known_.push_back({value, bits}); }

    /// One of the newest values of at most so many bits; the constant 1 always is one.
    Known pick(int largest) {
        for (int attempt = 0; attempt < 20; ++attempt) {
            const std::size_t back = static_cast<std::size_t>(random_int(0, 15)) % known_.size();
            const Known& known = known_[known_.size() - 1 - back];
            if (known.bits <= largest) return known;
        }
        for (const Known& known : known_)
            if (known.bits <= largest) return known;
        return known_.front();
    }

    std::mt19937 random_;
    Shape shape_;
    ir::Builder builder_;
    ir::Buffer in_ = 0, out_ = 0, in_place_ = 0, scratch_ = 0, table_ = 0;
    Integer columns_ = 1;
    std::vector<bool> stored_; ///< columns of the scratch buffer that hold something
    bool planar_in_ = false, planar_out_ = false, reversed_ = false;
    std::vector<Known> known_;
};

} // namespace swirl::passes
