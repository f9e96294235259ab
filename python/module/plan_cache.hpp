#pragma once

#include "numpy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace swirl::python {

/// The numbers that tell one call from another: what is computed, data type, extents, strides.
class CallKey {
public:
    void add(std::int64_t value) { values_[size_++] = value; }
    std::span<const std::int64_t> values() const { return {values_, size_}; }
    /// Adds a tuple of integers, and returns them where they lie. Throws TypeError for another object, ValueError for more than
    /// most_dimensions.
    std::span<const std::int64_t> add_tuple(nb::handle tuple) {
        if (!PyTuple_Check(tuple.ptr()))
            throw nb::type_error("extents, strides, lengths and axes are tuples");
        const Py_ssize_t count = PyTuple_Size(tuple.ptr());
        if (count > static_cast<Py_ssize_t>(most_dimensions))
            throw nb::value_error("arrays have at most 64 dimensions");
        add(count);
        const std::size_t first = size_;
        for (Py_ssize_t k = 0; k < count; ++k) {
            const std::int64_t value = PyLong_AsLongLong(PyTuple_GetItem(tuple.ptr(), k));
            if (value == -1 && PyErr_Occurred()) throw nb::python_error();
            add(value);
        }
        return {values_ + first, static_cast<std::size_t>(count)};
    }

    /// Arrays have at most 64 dimensions: axes, lengths, extents and the strides of two arrays, axes of a third.
    static constexpr std::size_t most_dimensions = 64, most_values = 24 + 6 * most_dimensions;

private:
    std::int64_t values_[most_values];
    std::size_t size_ = 0;
};

/// The least recently used entries make room for new ones. Used with the interpreter's lock held.
template <class Value> class PlanCache {
public:
    explicit PlanCache(std::size_t capacity) : capacity_(capacity) {}

    std::shared_ptr<const Value> find(const CallKey& key) {
        const auto found = index_.find(View(key.values()));
        if (found == index_.end()) return nullptr;
        if (found->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->value;
    }
    void insert(const CallKey& key, std::shared_ptr<const Value> value) {
        const auto known = index_.find(View(key.values()));
        if (known != index_.end()) { // another thread planned the same
            known->second->value = std::move(value);
            return;
        }
        const auto values = key.values();
        entries_.push_front({{values.begin(), values.end()}, std::move(value)});
        index_.emplace(View(entries_.front().key), entries_.begin());
        while (entries_.size() > capacity_) {
            index_.erase(View(entries_.back().key));
            entries_.pop_back();
        }
    }
    void clear() {
        index_.clear();
        entries_.clear();
    }
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::vector<std::int64_t> key;
        std::shared_ptr<const Value> value;
    };
    /// Of numbers in an entry, or of a call's key.
    struct View {
        explicit View(std::span<const std::int64_t> numbers) : values(numbers) {}
        std::span<const std::int64_t> values;
        friend bool operator==(const View& a, const View& b) {
            return a.values.size() == b.values.size() &&
                   std::equal(a.values.begin(), a.values.end(), b.values.begin());
        }
    };
    struct Hash {
        std::size_t operator()(const View& view) const {
            std::uint64_t hash = view.values.size();
            for (const std::int64_t value : view.values) {
                hash = (hash ^ static_cast<std::uint64_t>(value)) *
                       0x9e3779b97f4a7c15U; // 2^64 by the golden ratio
                hash ^= hash >> 32;
            }
            return hash;
        }
    };

    std::size_t capacity_;
    std::list<Entry> entries_; ///< most recently used first
    std::unordered_map<View, typename std::list<Entry>::iterator, Hash> index_;
};

} // namespace swirl::python
