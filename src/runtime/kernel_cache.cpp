#include "runtime/kernel_cache.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

namespace swirl::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".kernel";
constexpr std::string_view temporary_prefix = ".writing-";
/// No write takes this long: older temporary files are from processes that were stopped.
constexpr std::chrono::hours temporary_lifetime{1};

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0) close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int value() const { return value_; }
    explicit operator bool() const { return value_ >= 0; }
    bool close_now() { return close(std::exchange(value_, -1)) == 0; }

private:
    int value_;
};

/// Opens a file for reading. Does not follow links or block on pipes.
Descriptor open_to_read(const fs::path& file) {
    return Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

/// Uninitialised bytes: files that hold a plan's tables are large.
struct Content {
    LargeBytes bytes;
    std::size_t size = 0;
    std::span<const std::byte> span() const { return {bytes.get(), size}; }
};

/// Whether nobody but this user and the superuser can have written the file, whose code will run in this process.
bool is_own(const Descriptor& file) {
    constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
    struct stat status {};
    return file && fstat(file.value(), &status) == 0 && (status.st_mode & writable_by_others) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0);
}

/// A regular file's content; nothing if it is not one or cannot be read.
std::optional<Content> content_of(const Descriptor& file) {
    struct stat status {};
    if (!file || fstat(file.value(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const auto size = static_cast<std::size_t>(status.st_size);
    Content content{make_large_bytes(size), size};
    for (std::size_t done = 0; done < content.size;) {
        const ssize_t count = ::read(file.value(), content.bytes.get() + done, content.size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) content.size = done;
        done += static_cast<std::size_t>(count);
    }
    return content;
}

bool write_all(const Descriptor& file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(file.value(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

/// The key in a file's name; nothing if it is not the name of an entry.
std::optional<CacheKey> key_of(const fs::path& file) {
    const std::string name = file.filename().string();
    if (!name.ends_with(suffix)) return std::nullopt;
    return CacheKey::parse(std::string_view(name).substr(0, name.size() - suffix.size()));
}

bool is_temporary(const fs::path& file) { return file.filename().string().starts_with(temporary_prefix); }

/// Decodes an image as the entry that its file name promises.
std::variant<KernelEntry, Damage> decode_as(const CacheKey& key, std::span<const std::byte> image) {
    auto decoded = decode(image);
    const auto* entry = std::get_if<KernelEntry>(&decoded);
    if (entry != nullptr && entry->key != key)
        return Damage{fmt::format("it is the entry of {}", entry->key.text())};
    return decoded;
}

/// Calls f(file) for each file of a folder, as long as the folder can be read.
template <class F> void for_each_file(const fs::path& folder, F&& f) {
    std::error_code error;
    for (fs::directory_iterator files(folder, error), end; !error && files != end; files.increment(error))
        f(files->path());
}

bool remove_file(const fs::path& file) { return unlink(file.c_str()) == 0; }

} // namespace

KernelCache::KernelCache(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

fs::path KernelCache::file_of(const CacheKey& key) const {
    return folder_ / (key.text() + std::string(suffix));
}

bool KernelCache::contains(const CacheKey& key) const {
    std::error_code ignored;
    return fs::is_regular_file(file_of(key), ignored);
}

std::optional<Bytes> KernelCache::find(const CacheKey& key) const {
    const auto found = read(key);
    if (!found) return std::nullopt;
    return Bytes(found->code.begin(), found->code.end());
}

std::optional<KernelCache::Found> KernelCache::read(const CacheKey& key) const {
    const fs::path path = file_of(key);
    std::optional<Content> image;
    {
        const Descriptor file = open_to_read(path);
        if (!file && errno != ELOOP) return std::nullopt;
        if (is_own(file)) image = content_of(file);
        if (image) futimens(file.value(), nullptr); // its last use; failure to record it is harmless
    }
    const auto decoded = decode_as(key, image ? image->span() : std::span<const std::byte>());
    const auto* entry = std::get_if<KernelEntry>(&decoded);
    if (entry == nullptr) {
        remove_file(path); // if a valid file has just replaced it, that kernel is recompiled once
        return std::nullopt;
    }
    return Found{std::move(image->bytes), entry->code};
}

bool KernelCache::store(const CacheKey& key, const KernelLabel& label, std::span<const std::byte> code) {
    const Bytes image = encode(key, label, code);
    if (image.size() > limit_ || !write(key, image)) return false;
    const auto size = static_cast<std::int64_t>(image.size());
    if (budget_.fetch_sub(size) < size) bound();
    return true;
}

/// Writes to a temporary name first, so that no reader sees a partial entry.
bool KernelCache::write(const CacheKey& key, std::span<const std::byte> image) const {
    std::error_code ignored; // if the folder is still missing, creating the file fails
    fs::create_directories(folder_, ignored);
    std::string temporary = (folder_ / fmt::format("{}{}-XXXXXX", temporary_prefix, key.text())).string();
    Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (!file) return false;
    const bool is_written = write_all(file, image) && file.close_now();
    if (is_written && std::rename(temporary.c_str(), file_of(key).c_str()) == 0) return true;
    remove_file(temporary);
    return false;
}

bool KernelCache::drop(const CacheKey& key) const { return remove_file(file_of(key)) || errno == ENOENT; }

/// Scanning the folder takes time proportional to its entries. It is therefore scanned only after this process has
/// written an eighth of the free budget: several processes together exceed the limit only slightly.
void KernelCache::bound() {
    struct File {
        fs::path path;
        struct timespec used;
        std::uint64_t bytes;
    };
    std::vector<File> files;
    std::uint64_t total = 0;
    const fs::file_time_type now = fs::file_time_type::clock::now();
    for_each_file(folder_, [&](const fs::path& path) {
        struct stat status {};
        if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
        if (is_temporary(path)) {
            std::error_code error;
            const auto written = fs::last_write_time(path, error);
            if (!error && now - written > temporary_lifetime) remove_file(path);
        } else if (key_of(path)) {
            files.push_back({path, status.st_mtim, static_cast<std::uint64_t>(status.st_size)});
            total += files.back().bytes;
        }
    });
    if (total > limit_) {
        std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
            return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
        });
        const std::uint64_t aim = limit_ - limit_ / 8;
        for (const File& file : files) {
            if (total <= aim) break;
            if (remove_file(file.path) || errno == ENOENT) total -= file.bytes;
        }
    }
    budget_ = total < limit_ ? static_cast<std::int64_t>((limit_ - total) / 8) : 0;
}

void KernelCache::visit(const Visitor& visitor) const {
    for_each_file(folder_, [&](const fs::path& path) {
        const auto key = key_of(path);
        if (!key) return;
        std::error_code error;
        Stored stored{.file = path, .key = *key, .used = fs::last_write_time(path, error)};
        const Descriptor opened = open_to_read(path);
        const auto image = content_of(opened);
        if (!image) {
            if (error) return; // removed in the meantime
            stored.damage = "it cannot be read as a file";
            return visitor(stored, {});
        }
        stored.bytes = image->size;
        const auto decoded = decode_as(*key, image->span());
        if (const auto* damage = std::get_if<Damage>(&decoded)) stored.damage = damage->reason;
        if (const auto* entry = std::get_if<KernelEntry>(&decoded)) stored.label = entry->label;
        if (!is_own(opened)) stored.damage = "others may have written it";
        visitor(stored, image->span());
    });
}

std::vector<KernelCache::Stored> KernelCache::entries() const {
    std::vector<Stored> result;
    visit([&](const Stored& entry, std::span<const std::byte>) { result.push_back(entry); });
    std::sort(result.begin(), result.end(), [](const Stored& a, const Stored& b) {
        return a.used != b.used ? a.used > b.used : a.key < b.key;
    });
    return result;
}

KernelCache::Cleared KernelCache::clear() const {
    Cleared cleared;
    for_each_file(folder_, [&](const fs::path& path) {
        const bool is_entry = key_of(path).has_value();
        if (!is_entry && !is_temporary(path)) return;
        const bool is_removed = remove_file(path);
        if (is_entry) ++(is_removed ? cleared.removed : cleared.left);
    });
    return cleared;
}

} // namespace swirl::runtime
