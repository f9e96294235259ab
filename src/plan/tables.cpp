#include "plan/tables.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

template <class T, class From> void fill(void* to, const std::vector<From>& values) {
    std::transform(values.begin(), values.end(), static_cast<T*>(to),
                   [](From v) { return static_cast<T>(v); });
}

} // namespace

std::size_t bytes_of(const ir::BufferInfo& buffer) {
    return static_cast<std::size_t>(buffer.elements) *
           static_cast<std::size_t>(ir::size_in_bytes(buffer.element));
}

void fill_table(void* to, const ir::BufferInfo& table) {
    switch (table.element) {
    case ir::Scalar::float32: return fill<float>(to, *table.data);
    case ir::Scalar::float64: return fill<double>(to, *table.data);
    case ir::Scalar::int64: return fill<std::int64_t>(to, *table.integers);
    default: throw InternalError("table {} has an element type that no kernel loads", table.name);
    }
}

} // namespace swirl::planning
