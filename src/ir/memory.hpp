#pragma once

#include "ir/program.hpp"

#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace swirl::ir {

/// One lane in the interpreter: `integer` for integers and booleans, `real` for floating-point types, which a double
/// represents exactly.
union Cell {
    double real;
    std::int64_t integer;
};

/// Typed memory of an interpreted program that tracks which elements have been written.
class Memory {
public:
    Memory(DataType element, Integer elements, Integer first = 0);
    explicit Memory(const BufferInfo& buffer); ///< tables are filled with their contents

    DataType element() const { return element_; }
    Integer first() const { return first_; }
    Integer elements() const { return static_cast<Integer>(cells_.size()); }
    bool contains(Integer index) const { return index >= first_ && index - first_ < elements(); }

    /// Sets an element, rounded to the element type.
    void set(Integer index, long double value);
    void set_integer(Integer index, Integer value);
    long double operator[](Integer index) const; ///< throws InternalError if it has not been written
    bool is_written(Integer index) const { return written_[position(index)] != 0; }

    /// Sets elements starting at `at` (by default the first).
    template <class Range> void assign(const Range& values) { assign(values, first_); }
    template <class Range> void assign(const Range& values, Integer at) {
        for (const auto& value : values) {
            if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>)
                set_integer(at++, value);
            else
                set(at++, value);
        }
    }
    std::vector<double> values() const; ///< all elements; InternalError if one has not been written
    void mark_unwritten();              ///< all elements become unwritten

    Cell* cells() { return cells_.data(); }
    unsigned char* written() { return written_.data(); }

private:
    std::size_t position(Integer index) const;

    DataType element_;
    Integer first_;
    std::vector<Cell> cells_;
    std::vector<unsigned char> written_;
};

/// A program's arguments: memory for every argument, table and scratch buffer, and its parameters.
class Arguments {
public:
    explicit Arguments(const Program& program);

    Memory& operator[](Buffer buffer);
    Memory& operator[](std::string_view name);
    const Memory& operator[](std::string_view name) const;

    /// Aliases two arguments, as in-place transforms do: `buffer` uses the memory of `target`.
    void alias(std::string_view buffer, std::string_view target);

    /// Binds a buffer to existing memory, e.g. another program's output.
    void bind(std::string_view buffer, std::shared_ptr<Memory> memory);
    std::shared_ptr<Memory> shared(std::string_view buffer) const;

    std::vector<Integer> parameters; ///< by position

private:
    std::size_t position(std::string_view name) const;
    std::vector<std::string> names_;
    std::vector<std::shared_ptr<Memory>> memories_; ///< null for local and shared buffers
};

} // namespace swirl::ir
