#pragma once

#include "ir/program.hpp"

#include <cstddef>
#include <vector>

namespace swirl::passes {

/// Hash table that can roll back its newest entries: values defined in an inner body are out of scope after it.
class ValueTable {
public:
    struct Entry {
        std::size_t hash;
        ir::Value value;
        int next;     ///< older entry of the same bucket; −1: none
        int position; ///< position in program order
    };

    explicit ValueTable(std::size_t expected) {
        std::size_t buckets = 64;
        while (buckets < expected) buckets *= 2;
        heads_.assign(buckets, -1);
        entries_.reserve(expected);
    }

    std::size_t size() const { return entries_.size(); }

    template <class Equal> const Entry* find(std::size_t hash, Equal&& equal) const {
        for (int at = heads_[hash & (heads_.size() - 1)]; at >= 0; at = entry(at).next)
            if (entry(at).hash == hash && equal(entry(at).value)) return &entry(at);
        return nullptr;
    }

    void insert(std::size_t hash, ir::Value value, int position) {
        int& head = heads_[hash & (heads_.size() - 1)];
        entries_.push_back({hash, value, head, position});
        head = static_cast<int>(entries_.size()) - 1;
    }

    void shrink(std::size_t size) {
        for (; entries_.size() > size; entries_.pop_back())
            heads_[entries_.back().hash & (heads_.size() - 1)] = entries_.back().next;
    }

private:
    const Entry& entry(int at) const { return entries_[static_cast<std::size_t>(at)]; }

    std::vector<int> heads_;
    std::vector<Entry> entries_;
};

} // namespace swirl::passes
