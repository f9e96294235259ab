#pragma once

#include <swirl/options.hpp>

#include "base/fork_gate.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace swirl::fftw {

/// What FFTW calls wisdom: how this process has planned so far, or was told to plan. Schedules that were timed are beside
/// it in swirl's own wisdom, which outlives the process.
///
/// The text has one line of swirl's wisdom for each transform:
///
///     (swirl_wisdom
///     {"device":…, "problem":"dft 1024", "schedule":…}
///     )
class Wisdom {
public:
    /// The next character of a text, or none at its end.
    using ReadCharacter = std::function<std::optional<char>()>;

    /// `transform` is its text.
    bool knows(const std::string& transform, Effort effort) const;
    void remember(const std::string& transform, Effort effort, const std::string& schedule);
    void forget();

    std::string text() const;
    /// Reads one text, and no character more. False if it is none. FFTW's own text is one, too, and says nothing.
    bool import(const ReadCharacter& read);

private:
    struct Known {
        Effort effort;
        std::string schedule;
    };

    mutable ForkSafeMutex mutex_;
    std::map<std::string, Known> known_; ///< by the text of the transform
};

} // namespace swirl::fftw
