#pragma once

#include "emit/identifiers.hpp"
#include "emit/source_writer.hpp"
#include "ir/program.hpp"

#include <compare>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace swirl::emit {

/// The tables of a file in a language of C's family. Tables with equal contents and type share one array.
class CTables {
public:
    /// The array's name. A new table takes its name from `names`: `prefix`, then the buffer's name.
    const std::string& name_of(const ir::BufferInfo& buffer, Identifiers& names,
                               std::string_view prefix = "");
    /// Whether this is the first call with this name: the array has to be written.
    bool is_first_use(const std::string& name) { return used_.insert(name).second; }

private:
    struct Key {
        const void* data;
        DataType element;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::string> names_;
    std::set<std::string> used_;
};

/// `type name[entries] = {…};` with elements spelled by `literal`, integers by c_literal.
void write_c_table(SourceWriter& out, const ir::BufferInfo& buffer, std::string_view type,
                   std::string_view name, const std::function<std::string(long double, DataType)>& literal);

} // namespace swirl::emit
