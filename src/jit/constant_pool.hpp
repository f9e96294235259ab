#pragma once

#include "jit/x86_operation.hpp"

#include <cstring>
#include <span>
#include <vector>

namespace swirl::jit {

/// Constants after the code, each aligned to its size; equal ones are shared. Size class c holds 4 << c bytes.
class ConstantPool {
public:
    static constexpr int size_classes = 5;
    static constexpr int bytes_of(int size_class) { return 4 << size_class; }
    static constexpr int class_of(std::size_t bytes) {
        int size_class = 0;
        while (static_cast<std::size_t>(bytes_of(size_class)) < bytes) ++size_class;
        return size_class;
    }

    /// The location of the constant with these bytes (4, 8, … 64 of them).
    MemoryOperand add(std::span<const std::uint8_t> bytes);

    template <class T> MemoryOperand add(const std::vector<T>& elements) {
        return add({reinterpret_cast<const std::uint8_t*>(elements.data()), elements.size() * sizeof(T)});
    }

    std::span<const std::uint8_t> contents(int size_class) const {
        return pools_[static_cast<std::size_t>(size_class)];
    }

private:
    struct Slot {
        std::int32_t size_class = -1;
        std::int32_t offset = 0;
    };
    void grow();
    std::size_t find(int size_class, std::span<const std::uint8_t> bytes) const;

    std::array<std::vector<std::uint8_t>, size_classes> pools_;
    std::vector<Slot> slots_; ///< open-addressing hash table; its size is a power of two
    std::size_t used_ = 0;
};

} // namespace swirl::jit
