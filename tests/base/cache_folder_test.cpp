#include "base/cache_directory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace swirl {
namespace cache_folder_test {

/// While alive, a variable of the environment has a value, or (null) is not there.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        const char* before = std::getenv(name);
        was_set_ = before != nullptr;
        if (was_set_) before_ = before;
        set(value);
    }
    ~Variable() { set(was_set_ ? before_.c_str() : nullptr); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    void set(const char* value) {
        if (value == nullptr)
            unsetenv(name_);
        else
            setenv(name_, value, 1);
    }

    const char* name_;
    bool was_set_ = false;
    std::string before_;
};

TEST(CacheFolder, IsThatOfTheXdgSpecification) {
    const Variable home("HOME", "/home/me");
    for (const char* none : {static_cast<const char*>(nullptr), "", "relative/path"}) {
        const Variable cache("XDG_CACHE_HOME", none);
        EXPECT_EQ(cache_directory(), "/home/me/.cache/swirl");
    }
    const Variable cache("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(cache_directory(), "/caches/swirl");
}

TEST(CacheFolder, IsNoneWithoutAHome) {
    const Variable cache("XDG_CACHE_HOME", nullptr);
    for (const char* none : {static_cast<const char*>(nullptr), ""}) {
        const Variable home("HOME", none);
        EXPECT_EQ(cache_directory(), std::nullopt);
    }
}

} // namespace cache_folder_test
} // namespace swirl
