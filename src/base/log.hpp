#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace swirl {

using LogFunction = std::function<void(const std::string&)>;

/// While it lives, warnings of this thread go to the function; an empty one changes nothing.
class LogSink {
public:
    explicit LogSink(const LogFunction& function);
    ~LogSink();
    LogSink(const LogSink&) = delete;
    LogSink& operator=(const LogSink&) = delete;

private:
    const LogFunction* before_;
};

/// Passes a warning on to this thread's LogSink, or to standard error.
void log_warning(std::string_view message);

} // namespace swirl
