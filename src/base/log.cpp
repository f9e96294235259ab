#include "base/log.hpp"

#include <cstdio>

namespace swirl {

namespace {

thread_local const LogFunction* current = nullptr;

} // namespace

LogSink::LogSink(const LogFunction& function) : before_(current) {
    if (function) current = &function;
}

LogSink::~LogSink() { current = before_; }

void log_warning(std::string_view message) {
    if (current != nullptr) return (*current)(std::string(message));
    std::fprintf(stderr, "swirl: %.*s\n", static_cast<int>(message.size()), message.data());
}

} // namespace swirl
