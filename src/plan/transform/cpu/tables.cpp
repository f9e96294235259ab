#include "plan/transform/cpu/tables.hpp"

#include "base/error.hpp"

#include <cstring>

namespace swirl::planning {

namespace {

template <class T> void fill(void* to, const ir::BufferInfo& table) {
    for (Integer i = 0; i < table.elements; ++i)
        static_cast<T*>(to)[i] = static_cast<T>((*table.contents)[i]);
}

} // namespace

std::size_t bytes_of(const ir::BufferInfo& buffer) {
    return static_cast<std::size_t>(buffer.elements) * static_cast<std::size_t>(bytes_of(buffer.element));
}

const void* data_of(const ir::BufferInfo& table) {
    const bool as_in_memory = table.element == DataType::float32 || table.element == DataType::float64 ||
                              table.element == DataType::int64;
    return as_in_memory && table.element == table.contents->element() ? table.contents->data() : nullptr;
}

void fill_table(void* to, const ir::BufferInfo& table) {
    if (const void* const data = data_of(table)) {
        std::memcpy(to, data, bytes_of(table));
        return;
    }
    switch (table.element) {
    case DataType::float32: return fill<float>(to, table);
    case DataType::float64: return fill<double>(to, table);
    default: throw InternalError("table {} has an element type that no kernel loads", table.name);
    }
}

} // namespace swirl::planning
