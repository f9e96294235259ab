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

/// Contents of a table. Entries are rounded to the element type as they are set, and lie as kernels of CPUs load them: large
/// tables are made in place and never copied.
class Table {
public:
    static constexpr std::size_t alignment = 64; ///< bytes, a cache line

    /// Zeros. Elements of int64 or of a floating type; those of less than 32 bits take the room of float32.
    Table(Scalar element, Integer entries);
    Table(Scalar element, const std::vector<long double>& values);
    explicit Table(const std::vector<Integer>& values);
    explicit Table(const Table& other);
    Table(Table&&) = default;

    Scalar element() const { return element_; }
    Integer size() const { return entries_; }
    std::size_t bytes() const;
    const void* data() const { return memory_.get(); }

    void set(Integer i, long double value);
    void set_integer(Integer i, Integer value) { of<Integer>()[i] = value; }
    long double operator[](Integer i) const;
    std::span<const Integer> integers() const; ///< of a table of int64
    /// The other's entries, of the same type, from entry `first` on.
    void put(Integer first, const Table& other);
    /// In each run of order.size() entries entry l becomes what entry order[l] was.
    void permute_runs(const std::vector<int>& order);

private:
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
    };
    template <class T> T* of() const { return reinterpret_cast<T*>(memory_.get()); }

    Scalar element_;
    Integer entries_;
    std::unique_ptr<std::byte, Free> memory_;
};

/// Programs that have a table alike share its contents.
using TableData = std::shared_ptr<const Table>;

TableData shared(Table table);
/// Of contents that `shared` made: the table itself where nobody else has it, else a copy in its place.
Table& own(TableData& contents);

} // namespace swirl::ir
