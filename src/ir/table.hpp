#pragma once

#include "base/integer.hpp"
#include "ir/type.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace swirl::ir {

/// Contents of a table. Entries are rounded to the element type when set, and stored as CPU kernels load them: large
/// tables are built in place and never copied.
class Table {
public:
    static constexpr std::size_t alignment = 64; ///< bytes, a cache line

    /// Zeros. Elements are int64 or a floating-point type; types of less than 32 bits are stored as float32.
    Table(DataType element, Integer entries);
    Table(DataType element, const std::vector<long double>& values);
    explicit Table(const std::vector<Integer>& values);
    explicit Table(const Table& other);
    Table(Table&&) = default;

    DataType element() const { return element_; }
    Integer size() const { return entries_; }
    std::size_t bytes() const;
    const void* data() const { return memory_.get(); }

    void set(Integer i, long double value);
    void set_integer(Integer i, Integer value) { of<Integer>()[i] = value; }
    long double operator[](Integer i) const;
    std::span<const Integer> integers() const; ///< for a table of int64
    /// Copies the entries of a table of the same type to entry `first` onwards.
    void put(Integer first, const Table& other);
    /// In each block of order.size() entries, entry l receives the former entry order[l].
    void permute_blocks(const std::vector<int>& order);
    bool operator==(const Table& other) const; ///< bit by bit

private:
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
    };
    template <class T> T* of() const { return reinterpret_cast<T*>(memory_.get()); }

    DataType element_;
    Integer entries_;
    std::unique_ptr<std::byte, Free> memory_;
};

/// Programs with equal tables share their contents.
using TableData = std::shared_ptr<const Table>;

TableData shared(Table table);
/// For contents made by `shared`: the table itself if nobody else holds it, else a copy that replaces it.
Table& own(TableData& contents);

} // namespace swirl::ir
