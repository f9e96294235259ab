#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace swirl {

/// Serializes numbers and strings consecutively, in the host's representation.
class ByteWriter {
public:
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void write(T value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void write(std::span<const std::byte> bytes) {
        write(static_cast<std::uint64_t>(bytes.size()));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void write(const std::string& text) { write(std::as_bytes(std::span(text))); }
    template <class... Values> void write_all(const Values&... values) { (write(values), ...); }
    /// Writes the list's size, then calls write_one for each item.
    template <class List, class F> void write_list(const List& list, F&& write_one) {
        write(static_cast<std::uint64_t>(list.size()));
        for (const auto& item : list) write_one(item);
    }

    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote. Missing bytes read as zeros and mark the input as invalid.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) T read() {
        T value{};
        if (rest_.size() < sizeof value) {
            fail();
            return value;
        }
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_ = rest_.subspan(sizeof value);
        return value;
    }
    template <class T> void read(T& value) { value = read<T>(); }
    void read(std::string& text) {
        const auto bytes = read_bytes();
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    template <class... Values> void read_all(Values&... values) { (read(values), ...); }
    std::span<const std::byte> read_bytes() {
        const auto size = read<std::uint64_t>();
        if (size > rest_.size()) {
            fail();
            return {};
        }
        const auto bytes = rest_.first(static_cast<std::size_t>(size));
        rest_ = rest_.subspan(bytes.size());
        return bytes;
    }
    template <class List, class F> void read_list(List& list, F&& read_one) {
        const auto size = read<std::uint64_t>();
        if (size > rest_.size()) return fail(); // each item takes at least one byte
        for (std::uint64_t k = 0; k < size && !failed_; ++k) list.push_back(read_one());
    }

    bool has_failed() const { return failed_; }
    /// Whether all bytes were read and none was missing.
    bool is_whole() const { return !failed_ && rest_.empty(); }

private:
    void fail() {
        failed_ = true;
        rest_ = {};
    }

    std::span<const std::byte> rest_;
    bool failed_ = false;
};

} // namespace swirl
