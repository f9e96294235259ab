#include "target/shuffle.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace swirl::target {
namespace shuffle_test {

using Map = std::vector<std::int8_t>;

std::vector<const Cpu*> cpus_with_shuffles() {
    return {&sse2_cpu(), &avx2_cpu(), &avx512_cpu(), &neon_cpu()};
}

/// Operands 0, 1, 2, … in a and n, n+1, … in b, so that a result lane shows where it came from.
ir::Lanes apply(const ir::Instruction& instruction) {
    std::vector<ir::Lanes> operands;
    long double next = 0;
    for (const ir::Type type : instruction.operands) {
        operands.emplace_back();
        for (int lane = 0; lane < type.lanes; ++lane) operands.back().push_back(next++);
    }
    return instruction.meaning(operands);
}

TEST(ShuffleTable, MeaningEqualsTheLaneMapAndNamesAreUnique) {
    for (const Cpu* cpu : cpus_with_shuffles()) {
        std::set<std::string_view> names;
        for (const ir::Instruction* instruction : cpu->instructions) {
            EXPECT_TRUE(names.insert(instruction->name).second) << instruction->name;
            const ir::Lanes result = apply(*instruction);
            ASSERT_EQ(result.size(), instruction->lane_map.size());
            for (std::size_t lane = 0; lane < result.size(); ++lane)
                EXPECT_EQ(result[lane], instruction->lane_map[lane]) << instruction->name;
        }
    }
}

TEST(ShuffleTable, EveryEntryIsFoundByItsLaneMap) {
    for (const Cpu* cpu : cpus_with_shuffles())
        for (const ir::Instruction* instruction : cpu->instructions) {
            const ir::Instruction* found = find_shuffle(*cpu, instruction->result, instruction->lane_map);
            ASSERT_NE(found, nullptr) << instruction->name;
            EXPECT_EQ(found->lane_map, instruction->lane_map);
            EXPECT_LE(found->latency, instruction->latency);
        }
}

TEST(ShuffleTable, ComplexInterleavesUseFastPorts) {
    const ir::Type f64x4{DataType::float64, 4};
    EXPECT_EQ(find_shuffle(avx2_cpu(), f64x4, Map{0, 4, 2, 6})->ports, "15");
    const ir::Type f64x8{DataType::float64, 8};
    EXPECT_EQ(find_shuffle(avx512_cpu(), f64x8, Map{0, 8, 2, 10, 4, 12, 6, 14})->name,
              "interleave_low_f64x8");
    EXPECT_EQ(find_shuffle(avx512_cpu(), f64x8, Map{0, 1, 4, 5, 8, 9, 12, 13})->name,
              "shuffle_blocks_f64x8_0x88");
}

TEST(ShuffleTable, NeonHasDoubleShufflesAndFloatTransposes) {
    const ir::Type f64x2{DataType::float64, 2};
    for (const std::int8_t first : {0, 1, 2, 3})
        for (const std::int8_t second : {0, 1, 2, 3}) {
            if ((first < 2 && second < 2) || (first >= 2 && second >= 2)) continue;
            EXPECT_LE(choose_shuffle(neon_cpu(), f64x2, Map{first, second}).instruction->latency, 2)
                << int{first} << " " << int{second};
        }
    const ir::Type f32x4{DataType::float32, 4};
    for (const Map& map :
         {Map{0, 4, 1, 5}, Map{2, 6, 3, 7}, Map{0, 2, 4, 6}, Map{1, 3, 5, 7}, Map{0, 4, 2, 6},
          Map{1, 5, 3, 7}, Map{0, 1, 4, 5}, Map{2, 3, 6, 7}, Map{1, 2, 3, 4}, Map{0, 1, 6, 7}})
        EXPECT_NE(find_shuffle(neon_cpu(), f32x4, map), nullptr) << int{map[0]} << " " << int{map[1]};
    EXPECT_EQ(choose_shuffle(neon_cpu(), f32x4, Map{1, 0, 3, 2}).instruction->text, "vrev64q_f32");
    EXPECT_EQ(choose_shuffle(neon_cpu(), f32x4, Map{0, 0, 2, 2}).instruction->text, "vtrn1q_f32");
    EXPECT_EQ(choose_shuffle(neon_cpu(), f32x4, Map{2, 3, 0, 1}).instruction->text, "vextq_f32");
}

TEST(FindShuffle, TakesMinusOneForAnything) {
    const ir::Type f64x8{DataType::float64, 8};
    const ir::Instruction* found = find_shuffle(avx512_cpu(), f64x8, Map{-1, 9, -1, -1, 5, -1, -1, -1});
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->lane_map[1], 9);
    EXPECT_EQ(found->lane_map[4], 5);
}

TEST(FindShuffle, SaysNoWhereOneInstructionIsNotEnough) {
    const ir::Type f64x8{DataType::float64, 8};
    EXPECT_EQ(find_shuffle(avx512_cpu(), f64x8, Map{0, 15, 3, 9, 1, 1, 12, 4}), nullptr);
    EXPECT_EQ(find_shuffle(portable_cpu(), f64x8, Map{0, 8, 2, 10, 4, 12, 6, 14}), nullptr);
}

TEST(FindShufflePair, InterleavesAndDeinterleavesInTwoInstructionsOnAvx2) {
    for (const Map& map : {Map{0, 2, 4, 6}, Map{1, 3, 5, 7}, Map{0, 4, 1, 5}, Map{2, 6, 3, 7}}) {
        const ShufflePair pair = find_shuffle_pair(avx2_cpu(), {DataType::float64, 4}, map);
        ASSERT_NE(pair.first, nullptr);
        EXPECT_LE(pair.first->latency + pair.second->latency, map[1] == 4 || map[1] == 6 ? 6 : 4);
        for (std::size_t lane = 0; lane < map.size(); ++lane) {
            const int between = pair.first->lane_map[static_cast<std::size_t>(pair.second->lane_map[lane])];
            EXPECT_EQ(pair.swapped ? (between + 4) % 8 : between, map[lane]);
        }
    }
    EXPECT_NE(find_shuffle_pair(avx2_cpu(), {DataType::float32, 8}, Map{0, 2, 4, 6, 8, 10, 12, 14}).first,
              nullptr);
    EXPECT_EQ(find_shuffle_pair(avx2_cpu(), {DataType::float64, 4}, Map{0, 1, 5, 6}).first, nullptr);
}

TEST(GeneralPermute, IsOneObjectForOneMap) {
    const ir::Type f32x16{DataType::float32, 16};
    const Map map = {31, 0, 7, 16, 3, 3, 22, 9, 1, 30, 4, 18, 2, 2, 8, 21};
    const ir::Instruction& first = general_permute(avx512_cpu(), f32x16, map);
    EXPECT_EQ(&first, &general_permute(avx512_cpu(), f32x16, map));
    EXPECT_EQ(first.lane_map, map);
    EXPECT_EQ(first.operands.size(), 2U);
}

TEST(ChooseShuffle, EqualsTheWantedMapForRandomMaps) {
    std::mt19937 random(20261122);
    for (const Cpu* cpu : cpus_with_shuffles())
        for (const DataType scalar : {DataType::float32, DataType::float64})
            for (int lanes_ = 2; lanes_ <= lanes(*cpu, scalar); lanes_ *= 2)
                for (int round = 0; round < 200; ++round) {
                    const bool same = round % 5 == 0;
                    Map map(static_cast<std::size_t>(lanes_));
                    for (auto& source : map)
                        source = static_cast<std::int8_t>(static_cast<int>(random() % (2 * lanes_ + 1)) - 1);
                    const ShuffleChoice choice = choose_shuffle(*cpu, {scalar, lanes_}, map, same);
                    ASSERT_NE(choice.instruction, nullptr);
                    std::vector<ir::Lanes> operands;
                    for (std::size_t k = 0; k < choice.instruction->operands.size(); ++k) {
                        operands.emplace_back();
                        for (int lane = 0; lane < lanes_; ++lane)
                            operands.back().push_back(lane + (choice.sources[k] == 1 && !same ? lanes_ : 0));
                    }
                    const ir::Lanes result = choice.instruction->meaning(operands);
                    for (std::size_t lane = 0; lane < map.size(); ++lane) {
                        if (map[lane] < 0) continue;
                        EXPECT_EQ(result[lane], same ? map[lane] % lanes_ : map[lane])
                            << choice.instruction->name;
                    }
                }
}

} // namespace shuffle_test
} // namespace swirl::target
