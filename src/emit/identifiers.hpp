#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace swirl::emit {

/// Hands out names for one scope of emitted text: valid, unique C identifiers, never keywords.
class Identifiers {
public:
    Identifiers() = default;

    /// Never hands out `name`; nor do scopes copied from this one.
    void reserve(std::string_view name) { used_.emplace(name); }
    /// `preferred` with invalid characters replaced by `_`, and a numeric suffix if it is taken.
    std::string unique(std::string_view preferred);
    /// Frees a name at the end of its scope.
    void release(const std::string& name) { used_.erase(name); }

private:
    std::unordered_set<std::string> used_;
};

/// Whether `name` can stand unchanged: a C identifier and no keyword of C or C++.
bool is_plain_identifier(std::string_view name);

} // namespace swirl::emit
