#include "gemm/square.hpp"

#include "gemm/scalar.hpp"
#include "ir/transpose.hpp"

namespace swirl::gemm {

namespace {

std::size_t components_of(const Components& values) { return values[1] == ir::no_value ? 1 : 2; }

} // namespace

int square_lanes(DataType data_type, const target::Cpu& cpu) {
    int lanes = target::lanes(cpu, scalar_of(data_type));
    while (scalars_in(data_type) * lanes > cpu.vector_registers / 2) lanes /= 2;
    return lanes;
}

SquareLines transposed(ir::Builder& builder, const SquareLines& rows, int count) {
    SquareLines columns(static_cast<std::size_t>(count), {ir::no_value, ir::no_value});
    for (std::size_t component = 0; component < components_of(rows.front()); ++component) {
        std::vector<ir::Value> of_component;
        for (const Components& row : rows) of_component.push_back(row[component]);
        const std::vector<ir::Value> results = ir::columns_of_rows(builder.writer(), of_component, count);
        for (std::size_t at = 0; at < results.size(); ++at) columns[at][component] = results[at];
    }
    return columns;
}

Components moved(ir::Builder& builder, const Components& values, int from, int active, ir::Buffer memory,
                 Integer at) {
    if (from == 0) return values;
    const ir::Type type = builder.type(values[0]);
    Components result{ir::no_value, ir::no_value};
    for (std::size_t component = 0; component < components_of(values); ++component) {
        const Integer start = at + static_cast<Integer>(component) * type.lanes;
        builder.store(memory, start, builder.constant(type, 0), {.lanes = type.lanes});
        if (active > 0)
            builder.store(memory, start + from, values[component], {.lanes = type.lanes, .active = active});
        result[component] = builder.load(memory, start, {.lanes = type.lanes});
    }
    return result;
}

} // namespace swirl::gemm
