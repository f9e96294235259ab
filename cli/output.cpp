#include "cli/output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace swirl::cli {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// A temporary file next to the target, removed unless it is renamed.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::filesystem::path& target_file)
        : name_(target_file.string() + ".XXXXXX") {
        descriptor_ = mkstemp(name_.data());
        if (descriptor_ < 0) fail("cannot write next to " + target_file.string());
    }
    ~TemporaryFile() {
        if (descriptor_ >= 0) close(descriptor_);
        if (!renamed_) unlink(name_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail("cannot write " + name_);
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    void rename_to(const std::filesystem::path& file) {
        const mode_t mask = umask(0);
        umask(mask);
        if (fchmod(descriptor_, 0666 & ~mask) != 0) fail("cannot set the mode of " + name_);
        if (fsync(descriptor_) != 0 && errno != EINVAL) fail("cannot write " + name_);
        const int closed = close(descriptor_);
        descriptor_ = -1;
        if (closed != 0) fail("cannot write " + name_);
        if (std::rename(name_.c_str(), file.c_str()) != 0) fail("cannot replace " + file.string());
        renamed_ = true;
    }

private:
    std::string name_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

} // namespace

void print(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        fail("cannot write to standard output");
}

void print_json(const Json& json) { print(json.dump(2) + "\n"); }

void write_file(const std::filesystem::path& file, std::string_view text) {
    const std::filesystem::path target = std::filesystem::weakly_canonical(file); // a link stays a link
    if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) {
        // Devices and pipes are written in place, never replaced.
        errno = 0;
        std::ofstream stream(target, std::ios::binary);
        if (!stream.write(text.data(), static_cast<std::streamsize>(text.size())) || !stream.flush())
            fail("cannot write to " + file.string());
        return;
    }
    TemporaryFile temporary(target);
    temporary.write(text);
    temporary.rename_to(target);
}

} // namespace swirl::cli
