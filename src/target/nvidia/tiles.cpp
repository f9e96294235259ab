#include "target/nvidia/tiles.hpp"

#include "base/error.hpp"
#include "ir/type_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::target {

namespace {

constexpr int column_granularity = 8;
constexpr int most_columns = 256;

struct Kind {
    DataType operand_type;
    std::string_view name; ///< PTX type of A and B
    int k;
    int ignored_bits;
    bool has_layouts;
    int least_exponent = -126;
    ir::TensorCoreRounding sums = {};
};
/// 8-bit operands have less precise accumulators: a float32 with 13 fraction bits.
constexpr ir::TensorCoreRounding half_precision_rounding = {.aligned_bits = 13, .result_fraction_bits = 13};
constexpr std::array kinds = {
    Kind{DataType::float16, "f16", 16, 0, true, -14},
    Kind{DataType::bfloat16, "bf16", 16, 0, true},
    Kind{DataType::float32, "tf32", 8, 13, false},
    Kind{DataType::float8_e4m3, "e4m3", 32, 0, false, -6, half_precision_rounding},
};

/// The instructions of one data type by n, and their strings.
class Table {
public:
    Table(const Kind& kind, bool adds) {
        for (int columns = column_granularity; columns <= most_columns; columns += column_granularity) {
            names_.push_back(
                fmt::format("{}tile_product_64x{}x{}_{}", adds ? "" : "first_", columns, kind.k, kind.name));
            texts_.push_back(fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{}", columns, kind.k,
                                         kind.name, kind.name));
        }
        for (std::size_t k = 0; k < names_.size(); ++k)
            entries_.push_back({.name = names_[k],
                                .columns = static_cast<int>(k + 1) * column_granularity,
                                .k = kind.k,
                                .operand_type = kind.operand_type,
                                .ignored_bits = kind.ignored_bits,
                                .has_layouts = kind.has_layouts,
                                .a_in_registers = kind.operand_type == DataType::float32,
                                .accumulates = adds,
                                .rounding = kind.sums,
                                .least_exponent = kind.least_exponent,
                                .text = texts_[k]});
    }
    const ir::WgmmaInstruction& of(int columns) const {
        return entries_.at(static_cast<std::size_t>(columns / column_granularity - 1));
    }

private:
    std::vector<std::string> names_, texts_;
    std::vector<ir::WgmmaInstruction> entries_;
};

std::vector<Table> tables_of(bool adds) {
    std::vector<Table> tables;
    tables.reserve(kinds.size());
    for (const Kind& kind : kinds) tables.emplace_back(kind, adds);
    return tables;
}

const ir::WgmmaInstruction& entry_of(const std::vector<Table>& tables, DataType operand_type, int columns) {
    const bool is_known =
        columns % column_granularity == 0 && columns >= column_granularity && columns <= most_columns;
    for (std::size_t k = 0; is_known && k < kinds.size(); ++k)
        if (kinds[k].operand_type == operand_type) return tables[k].of(columns);
    throw InternalError("no instruction multiplies tiles of {} by {} columns", name_of(operand_type),
                        columns);
}

} // namespace

const ir::WgmmaInstruction& wgmma_of(DataType operand_type, int columns) {
    static const auto& tables = *new std::vector<Table>(tables_of(true));
    return entry_of(tables, operand_type, columns);
}

const ir::WgmmaInstruction& wgmma_overwriting(DataType operand_type, int columns) {
    static const auto& tables = *new std::vector<Table>(tables_of(false));
    return entry_of(tables, operand_type, columns);
}

} // namespace swirl::target
