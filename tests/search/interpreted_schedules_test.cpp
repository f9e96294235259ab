// What the planner's model picks, as it goes to the machine, in the interpreter: it finds what lies outside of an array, which a
// run on memory of the machine may or may not.

#include "search/cost/cpu/estimate.hpp"
#include "support/proved_schedule.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {
namespace interpreted_schedules_test {

constexpr const char* kinds[] = {"dft",        "dft backward", "rdft",        "rdft backward", "dct1", "dct2",
                                 "dct3",       "dct4",         "dct5",        "dct6",          "dct7", "dct8",
                                 "dst1",       "dst2",         "dst3",        "dst4",          "dst5", "dst6",
                                 "dst7",       "dst8",         "dht",         "r2hc",          "hc2r", "wht",
                                 "wht_dyadic", "wht_sequency", "rconvolution"};

/// All small lengths, and larger ones of each structure: twice and four times a prime for which Rader's rule is taken, other
/// multiples of one, prime powers, primes, products of small primes.
std::vector<Integer> lengths() {
    std::vector<Integer> result;
    for (Integer n = 1; n <= 100; ++n) result.push_back(n);
    for (const Integer n : {101, 111, 122, 125, 128, 148, 169, 185, 194, 210, 243, 256, 257})
        result.push_back(n);
    return result;
}

/// Numbers of transforms, and what else is said of a problem.
constexpr const char* real_layouts[] = {" batch=3 scale=0.5", " batch=8", " inplace",
                                        " scale=-2 batch=8:(1,1) strides=8"};
constexpr const char* complex_layouts[] = {" planar scale=0.5", " batch=3 scale=0.5",
                                           " batch=8 planar",   " batch=3 planar scale=-2",
                                           " inplace",          " batch=8:(1,1) strides=8"};

bool is_complex(std::string_view kind) { return kind.starts_with("dft") || kind.starts_with("rdft"); }

std::string problem_text(std::string_view kind, Integer n, std::string_view layout, bool is_float32) {
    const std::size_t word = kind.find(' ');
    return std::string(kind.substr(0, word)) + " " + std::to_string(n) +
           (word == std::string_view::npos ? "" : std::string(kind.substr(word))) +
           (is_float32 ? " float32" : "") + std::string(layout);
}

class SchedulesOfTheModel : public testing::TestWithParam<const char*> {};

/// Each length for each CPU alone and contiguous, where tables of indices are likeliest, and in one of the layouts, which take
/// turns as precisions do.
TEST_P(SchedulesOfTheModel, AreTheTransformInTheInterpreterOnEveryCpu) {
    const std::string kind = GetParam();
    const auto layouts = is_complex(kind) ? std::span<const char* const>(complex_layouts)
                                          : std::span<const char* const>(real_layouts);
    std::size_t round = 0;
    for (const Integer n : lengths()) {
        if (kind.starts_with("wht") && !std::has_single_bit(static_cast<std::uint64_t>(n))) continue;
        if (kind == "dct1" && n == 1) continue;
        for (const target::Cpu* cpu : target::cpus()) {
            if (cpu->set == target::InstructionSet::portable) continue;
            ++round;
            for (const char* layout : {"", layouts[round % layouts.size()]}) {
                const std::string text = problem_text(kind, n, layout, round % 3 == 0);
                support::prove(text, estimate(parse_transform(text), *cpu).schedule);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SchedulesOfTheModel, testing::ValuesIn(kinds),
                         [](const testing::TestParamInfo<const char*>& instance) {
                             std::string name = instance.param;
                             for (char& c : name)
                                 if (c == ' ') c = '_';
                             return name;
                         });

TEST(SchedulesWithTables, SupportIndexTablesOfRealPairs) {
    for (const char* text :
         {"dct4 74", "dst4 74 float32", "dct4 194", "dct4 74x4", "rdft 32 planar batch=2 scale=0.5",
          "rdft 28 float32 planar batch=2 scale=0.5", "rdft 37 backward planar",
          "rdft 65 in=9 out=1 batch=9:(1,33) scale=0.5", "dft 128x3x3", "dft 81x3x9 float32"})
        for (const target::Cpu* cpu : target::cpus())
            if (cpu->set != target::InstructionSet::portable)
                support::prove(text, estimate(parse_transform(text), *cpu).schedule);
}

} // namespace interpreted_schedules_test
} // namespace swirl::search
