#pragma once

#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <optional>
#include <string>

namespace swirl {

/// Wisdom in a folder of its own, at first none, named by the environment as long as this lives.
class OwnWisdom {
public:
    OwnWisdom() {
        if (const char* const known = std::getenv("SWIRL_WISDOM")) before_ = known;
        setenv("SWIRL_WISDOM", file().c_str(), 1);
    }
    ~OwnWisdom() {
        if (before_)
            setenv("SWIRL_WISDOM", before_->c_str(), 1);
        else
            unsetenv("SWIRL_WISDOM");
    }
    std::string file() const { return (folder_.path() / "wisdom.sqlite").string(); }
    OwnWisdom(const OwnWisdom&) = delete;
    OwnWisdom& operator=(const OwnWisdom&) = delete;

private:
    TemporaryFolder folder_;
    std::optional<std::string> before_;
};

} // namespace swirl
