#include "passes/schedule_for_registers.hpp"

#include "ir/verify.hpp"
#include "passes/random_program.hpp"
#include "passes/support.hpp"
#include "passes/unroll.hpp"
#include "passes/vectorize.hpp"

#include <algorithm>
#include <numbers>
#include <random>

namespace swirl::passes {
namespace schedule_for_registers_test {

using namespace ir;

/// Operations whose operands are for free: loads and constants can be memory operands.
bool is_leaf(const Program& program, Value value) {
    return program[value].opcode == Opcode::load || program[value].opcode == Opcode::constant;
}

const StraightLineBlock& longest_block(const Program& program) {
    const StraightLineBlock* longest = nullptr;
    for_each_straight_line_block(program, [&](const StraightLineBlock& block) {
        if (longest == nullptr || block.operations.size() > longest->operations.size()) longest = &block;
    });
    return *longest;
}

/// Reloads that the longest block needs with so many registers when the value with the furthest next use is the one
/// that leaves (Belady 1966).
int reloads(const Program& program, std::size_t registers) {
    const StraightLineBlock& block = longest_block(program);
    std::vector<std::vector<std::size_t>> uses(program.operations.size()); // descending
    for (std::size_t p = block.operations.size(); p-- > 0;)
        for_each_operand(program[block.operations[p]],
                         [&](Value v) { uses[static_cast<std::size_t>(v)].push_back(p); });
    std::vector<Value> held;
    int count = 0;
    for (std::size_t p = 0; p < block.operations.size(); ++p) {
        const Value value = block.operations[p];
        if (is_leaf(program, value)) continue;
        const auto next_use = [&](Value v) {
            const auto& of_v = uses[static_cast<std::size_t>(v)];
            return of_v.empty() ? block.operations.size() : of_v.back();
        };
        const auto hold = [&](Value v) {
            if (std::find(held.begin(), held.end(), v) != held.end()) return false;
            if (held.size() == registers)
                held.erase(std::max_element(held.begin(), held.end(),
                                            [&](Value a, Value b) { return next_use(a) < next_use(b); }));
            held.push_back(v);
            return true;
        };
        for_each_operand(program[value], [&](Value v) { count += !is_leaf(program, v) && hold(v); });
        for_each_operand(program[value], [&](Value v) {
            auto& of_v = uses[static_cast<std::size_t>(v)];
            while (!of_v.empty() && of_v.back() == p) of_v.pop_back();
        });
        std::erase_if(held, [&](Value v) { return next_use(v) == block.operations.size(); });
        if (has_result(program[value].opcode)) hold(value);
    }
    return count;
}

/// A radix-2 transform of n points, stage by stage: all values of a stage are alive at its end.
Program breadth_first_dft(int n) {
    Builder b("dft");
    const Buffer in = b.input("in", DataType::float64, 2 * n),
                 out = b.output("out", DataType::float64, 2 * n);
    std::vector<Value> re, im;
    for (int i = 0; i < n; ++i) {
        int reversed = 0;
        for (int bit = 1; bit < n; bit *= 2) reversed = 2 * reversed + (i & bit ? 1 : 0);
        re.push_back(b.load(in, 2 * reversed));
        im.push_back(b.load(in, 2 * reversed + 1));
    }
    for (int half = 1; half < n; half *= 2)
        for (int block = 0; block < n; block += 2 * half)
            for (int k = 0; k < half; ++k) {
                const long double angle = -std::numbers::pi_v<long double> * k / half;
                const Value c = b.constant(f64, std::cos(angle)), s = b.constant(f64, std::sin(angle));
                const auto p = static_cast<std::size_t>(block + k), q = p + static_cast<std::size_t>(half);
                const Value x = b.fms(re[q], c, b.multiply(im[q], s)),
                            y = b.fma(re[q], s, b.multiply(im[q], c));
                re[q] = b.subtract(re[p], x);
                im[q] = b.subtract(im[p], y);
                re[p] = b.add(re[p], x);
                im[p] = b.add(im[p], y);
            }
    for (int i = 0; i < n; ++i) {
        b.store(out, 2 * i, re[static_cast<std::size_t>(i)]);
        b.store(out, 2 * i + 1, im[static_cast<std::size_t>(i)]);
    }
    return b.finish();
}

TEST(ScheduleForRegisters, LetsATransformThatOverflowsTheRegistersReloadLittle) {
    for (const int n : {16, 32, 64, 128}) {
        const Program before = breadth_first_dft(n);
        const Program after = schedule_for_registers(before);
        EXPECT_LE(2 * reloads(after, 16), reloads(before, 16)) << n;
        if (n >= 32) {
            EXPECT_LE(3 * reloads(after, 32), reloads(before, 32)) << n;
        }
        expect_same_results(before, after);
    }
    EXPECT_EQ(reloads(schedule_for_registers(breadth_first_dft(8)), 24), 0);
}

TEST(ScheduleForRegisters, FinishesIndependentPartsOneAfterTheOther) {
    Builder b("columns");
    const Buffer in = b.input("in", DataType::float64, 64), out = b.output("out", DataType::float64, 64);
    std::vector<Value> sums;
    for (Integer i = 0; i < 32; ++i) sums.push_back(b.negate(b.load(in, 2 * i)));
    for (Integer i = 0; i < 32; ++i)
        sums[static_cast<std::size_t>(i)] = b.add(sums[static_cast<std::size_t>(i)], b.load(in, 2 * i + 1));
    for (Integer i = 0; i < 32; ++i) b.store(out, i, sums[static_cast<std::size_t>(i)]);
    const Program before = b.finish();
    const Program after = schedule_for_registers(before);
    EXPECT_GT(reloads(before, 16), 16);
    EXPECT_EQ(reloads(after, 1), 0);
    expect_same_results(before, after);
}

TEST(ScheduleForRegisters, PlacesLoadsBeforeUsesAndStoresAfterValues) {
    const Program after = schedule_for_registers(breadth_first_dft(32));
    for_each_straight_line_block(after, [&](const StraightLineBlock& block) {
        for (std::size_t p = 0; p < block.operations.size(); ++p) {
            const Operation& operation = after[block.operations[p]];
            if (operation.opcode == Opcode::load) {
                bool used = false; // by the next operation that is neither a load nor a constant
                std::size_t q = p + 1;
                while (after[block.operations[q]].opcode == Opcode::load ||
                       after[block.operations[q]].opcode == Opcode::constant)
                    ++q;
                for_each_operand(after[block.operations[q]],
                                 [&](Value v) { used = used || v == block.operations[p]; });
                EXPECT_TRUE(used);
            }
            if (operation.opcode == Opcode::store) {
                EXPECT_EQ(operation.operands[0], block.operations[p - 1]);
            }
        }
    });
}

/// Random loads and stores of one small buffer, with sums in between: any wrong order shows.
Program random_traffic(unsigned seed) {
    std::mt19937 random(seed);
    const auto random_int = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    Builder b("traffic");
    const Buffer x = b.output("x", DataType::float64, 64), y = b.output("y", DataType::float64, 64);
    const Buffer map = b.table("map", std::vector<Integer>{3, 0, 2, 1});
    b.for_loop("i", 2, [&](const Affine& i) {
        std::vector<Value> known = {b.load(y, i, {.lanes = 4})};
        const auto pick = [&] {
            return known[static_cast<std::size_t>(random_int(std::max(0, static_cast<int>(known.size()) - 6),
                                                             static_cast<int>(known.size()) - 1))];
        };
        for (int k = 0; k < 40; ++k) {
            const Value dynamic = random_int(0, 3) == 0 ? b.load(map, random_int(0, 3)) : no_value;
            const Access access{
                .lanes = 4, .lane_stride = random_int(1, 3), .active = random_int(1, 4), .dynamic = dynamic};
            const Buffer buffer = random_int(0, 3) == 0 ? y : x;
            const Affine at = random_int(0, 3) == 0 ? Affine(random_int(0, 40)) : 8 * i + random_int(0, 30);
            switch (random_int(0, 3)) {
            case 0: known.push_back(b.load(buffer, at, access)); break;
            case 1: b.store(buffer, at, pick(), access); break;
            default: known.push_back(b.subtract(pick(), pick())); break;
            }
        }
        b.store(y, 32 + 4 * i, known.back(), {.lanes = 4});
    });
    return b.finish();
}

TEST(ScheduleForRegisters, KeepsTheOrderOfAliasingAccesses) {
    for (unsigned seed = 1; seed <= 500; ++seed) {
        const Program before = random_traffic(seed);
        const Program after = schedule_for_registers(before);
        verify(after, VerificationLevel::vectorized);
        expect_same_results(before, after);
        if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

} // namespace schedule_for_registers_test
} // namespace swirl::passes
