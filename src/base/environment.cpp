#include "base/environment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace swirl {

namespace {

thread_local const Environment* of_scope = nullptr;

bool is_read(std::string_view name) {
    return name.starts_with("SWIRL_") || name == "XDG_CACHE_HOME" || name == "HOME";
}

} // namespace

Environment::Environment() {
    if (environ == nullptr) return;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view entry = *each;
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos || !is_read(entry.substr(0, equals))) continue;
        values_.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
}

const char* environment_variable(const char* name) {
    if (of_scope == nullptr) return std::getenv(name);
    const auto at = of_scope->values_.find(std::string_view(name));
    return at == of_scope->values_.end() ? nullptr : at->second.c_str();
}

EnvironmentScope::EnvironmentScope(const Environment& environment) : before_(of_scope) {
    of_scope = &environment;
}
EnvironmentScope::~EnvironmentScope() { of_scope = before_; }

} // namespace swirl
