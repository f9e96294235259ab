#pragma once

#include "peers/gpu_matrix_call.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What is measured, and what is to be reached.
namespace swirl::bench {

/// What a row's goal is in.
enum class Measure {
    ratio,     ///< cuBLAS's time over swirl's
    teraflops, ///< 10^12 additions and multiplications a second
    gigabytes, ///< 10^9 bytes a second, of A, B and C each once
};

/// How the measures are named in files: "over cuBLAS", "TFLOP/s", "GB/s".
std::string_view word(Measure measure);

struct Row {
    peers::GpuMatrixCall call;
    double goal = 0;            ///< 0: none
    double copy_goal = 0;       ///< the least part of a copy's bandwidth, of what moving data limits; 0: none
    bool from_memory = false;   ///< operands in turn, so that no cache serves them
    std::string decisions = {}; ///< of swirl's schedule, in place of its choice, such as "machine_loop=1"
};

struct Group {
    std::string name;
    std::string what;
    Measure measure = Measure::ratio;
    std::vector<Row> rows;
};

const std::vector<Group>& groups();

/// The groups of a list such as "square,small", in the order in which they stand here; all where it is empty. UserError
/// naming the option.
std::vector<Group> parse_groups(const std::string& option, const std::string& list);

} // namespace swirl::bench
