#pragma once

#include "peers/gpu_matrix_call.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Benchmark rows and their goals.
namespace swirl::bench {

/// Unit of a row's goal.
enum class Measure {
    ratio,     ///< cuBLAS's time over swirl's
    teraflops, ///< 10^12 additions and multiplications per second
    gigabytes, ///< 10^9 bytes per second, of A, B and C each once
};

/// Names of the measures in files: "over cuBLAS", "TFLOP/s", "GB/s".
std::string_view word(Measure measure);

struct Row {
    peers::GpuMatrixCall call;
    double goal = 0;          ///< 0: none
    double copy_goal = 0;     ///< minimum fraction of copy bandwidth, for memory-bound rows; 0: none
    bool from_memory = false; ///< cycles through operand sets, so that no cache holds them
    /// Schedule parameters that override swirl's choice, such as "reorder_sass=1".
    std::string decisions = {};
};

struct Group {
    std::string name;
    std::string what;
    Measure measure = Measure::ratio;
    std::vector<Row> rows;
};

const std::vector<Group>& groups();

/// The groups of a list such as "square,small", in the order of definition; all if the list is empty. Throws UserError
/// naming the option.
std::vector<Group> parse_groups(const std::string& option, const std::string& list);

} // namespace swirl::bench
