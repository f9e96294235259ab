#include "emit/cpp/c_tables.hpp"

#include "base/error.hpp"
#include "emit/literal.hpp"

namespace swirl::emit {

const std::string& CTables::name_of(const ir::BufferInfo& buffer, Identifiers& names,
                                    std::string_view prefix) {
    ensure(buffer.contents != nullptr, "table '{}' holds no data", buffer.name);
    const auto [at, is_new] = names_.try_emplace({buffer.contents.get(), buffer.element});
    if (is_new) at->second = names.unique(fmt::format("{}{}", prefix, buffer.name));
    return at->second;
}

void write_c_table(SourceWriter& out, const ir::BufferInfo& buffer, std::string_view type,
                   std::string_view name, const std::function<std::string(long double, DataType)>& literal) {
    std::vector<std::string> items;
    if (buffer.element == DataType::int64)
        for (const Integer value : buffer.contents->integers()) items.push_back(c_literal(value));
    else
        for (Integer i = 0; i < buffer.contents->size(); ++i)
            items.push_back(literal((*buffer.contents)[i], buffer.element));
    ensure(static_cast<Integer>(items.size()) == buffer.elements, "table '{}' holds {} of {} elements",
           buffer.name, items.size(), buffer.elements);
    out.list(fmt::format("{} {}[{}] = {{", type, name, items.size()), items, "};");
}

} // namespace swirl::emit
