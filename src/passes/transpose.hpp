#pragma once

#include "ir/program.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// Shuffles that transpose small matrices held in vector registers.
namespace swirl::passes {

using LaneMap = std::vector<std::int8_t>;

/// Appends operations to a program and to one of its straight runs.
struct RunWriter {
    ir::Program& program;
    std::vector<ir::Value>& run;

    ir::Value append(ir::Operation operation) {
        run.push_back(program.append(std::move(operation)));
        return run.back();
    }
    ir::Value shuffle(ir::Value a, ir::Value b, LaneMap lane_map);
};

/// ν×ν transposition for vectors of ν lanes, in log₂ ν stages of two-operand shuffles. The stages above 16 bytes
/// gather even and odd 16-byte units (lane maps of vshuff64x2 and vshuff32x4 with immediates 0x88 and 0xdd, and of
/// vperm2f128 with 0x20 and 0x31); those within 16 bytes are unpcklpd, unpckhpd, unpcklps, unpckhps.
///
/// columns_of_rows: rows[l] holds row l of a c × k matrix (c, k ≤ ν) in its first k lanes; result[j] holds column j,
/// lane l from row l. rows_of_columns is the inverse: columns in, `count` rows out. Lanes without an element hold
/// anything. Only shuffles that the results need are emitted; a result may be one of the arguments.
std::vector<ir::Value> columns_of_rows(RunWriter writer, std::span<const ir::Value> rows, int count);
std::vector<ir::Value> rows_of_columns(RunWriter writer, std::span<const ir::Value> columns, int count);

} // namespace swirl::passes
