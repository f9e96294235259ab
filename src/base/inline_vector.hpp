#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace swirl {

/// A vector of trivial elements that keeps up to `capacity_inside` of them in itself, and only more in memory of its own.
template <class T, std::size_t capacity_inside> class InlineVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    InlineVector() noexcept = default;
    InlineVector(std::initializer_list<T> elements) { assign(elements.begin(), elements.size()); }
    InlineVector(const InlineVector& other) { assign(other.data(), other.size_); }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(const InlineVector& other) {
        if (this == &other) return *this;
        size_ = 0;
        assign(other.data(), other.size_);
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    ~InlineVector() { release(); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return is_inside() ? elements_.inside.data() : elements_.outside; }
    const T* data() const { return is_inside() ? elements_.inside.data() : elements_.outside; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::size_t k) { return data()[k]; }
    const T& operator[](std::size_t k) const { return data()[k]; }
    T& front() { return data()[0]; }
    const T& front() const { return data()[0]; }
    T& back() { return data()[size_ - 1]; }
    const T& back() const { return data()[size_ - 1]; }

    void push_back(const T& element) { insert(end(), element); }
    T* insert(const T* at, T element) {
        const std::size_t index = static_cast<std::size_t>(at - begin());
        if (size_ == capacity_) grow(2 * std::size_t{capacity_});
        T* const to = data() + index;
        std::move_backward(to, end(), end() + 1);
        *to = element;
        ++size_;
        return to;
    }
    T* erase(const T* at) {
        T* const to = data() + (at - begin());
        std::move(to + 1, end(), to);
        --size_;
        return to;
    }

    friend bool operator==(const InlineVector& a, const InlineVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend auto operator<=>(const InlineVector& a, const InlineVector& b) {
        return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    bool is_inside() const { return capacity_ == capacity_inside; }

    void grow(std::size_t capacity) {
        T* const larger = std::allocator<T>().allocate(capacity);
        std::copy(begin(), end(), larger);
        release();
        elements_.outside = larger;
        capacity_ = static_cast<std::uint32_t>(capacity);
    }

    /// Of an empty vector.
    void assign(const T* elements, std::size_t count) {
        if (count > capacity_) grow(count);
        std::copy(elements, elements + count, data());
        size_ = static_cast<std::uint32_t>(count);
    }

    void take(InlineVector& other) noexcept {
        elements_ = other.elements_;
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(capacity_inside));
    }

    void release() noexcept {
        if (!is_inside()) std::allocator<T>().deallocate(elements_.outside, capacity_);
    }

    union Elements {
        Elements() : inside{} {}
        std::array<T, capacity_inside> inside;
        T* outside;
    };

    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = capacity_inside;
    Elements elements_;
};

} // namespace swirl
