#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace swirl::emit {

/// Hands out names for one scope of emitted text: valid C identifiers, no keyword, none twice.
class Identifiers {
public:
    Identifiers() = default;

    /// Never to be handed out; also not by scopes copied from this one.
    void reserve(std::string_view name) { taken_.emplace(name); }
    /// `wish` with what no identifier may hold replaced by `_`, and a number behind it when it is taken.
    std::string unique(std::string_view wish);
    /// The name may be handed out again: its scope has ended.
    void release(const std::string& name) { taken_.erase(name); }

private:
    std::unordered_set<std::string> taken_;
};

/// Whether `name` can stand as it is: a C identifier and no keyword of C or C++.
bool is_plain_identifier(std::string_view name);

} // namespace swirl::emit
