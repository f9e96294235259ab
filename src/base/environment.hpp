#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace swirl {

/// The value of an environment variable; null if it is not set.
const char* environment_variable(const char* name);

/// swirl's environment variables, and those for folders of caches, as they are when it is constructed.
class Environment {
public:
    Environment();
    void set(std::string name, std::string value) {
        values_.insert_or_assign(std::move(name), std::move(value));
    }

private:
    friend const char* environment_variable(const char* name);
    std::map<std::string, std::string, std::less<>> values_;
};

/// While it lives, environment_variable() of this thread answers from that environment: setenv() of the program races
/// with every thread that reads the environment itself.
class EnvironmentScope {
public:
    explicit EnvironmentScope(const Environment& environment);
    ~EnvironmentScope();
    EnvironmentScope(const EnvironmentScope&) = delete;
    EnvironmentScope& operator=(const EnvironmentScope&) = delete;

private:
    const Environment* before_;
};

} // namespace swirl
