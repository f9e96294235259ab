#include "ir/table.hpp"

#include "base/error.hpp"
#include "ir/rounding.hpp"
#include "ir/type_rules.hpp"

#include <algorithm>
#include <cstring>

namespace swirl::ir {

namespace {

/// Size of one entry in memory.
std::size_t entry_bytes(DataType element) {
    return element == DataType::float64 || element == DataType::int64 ? sizeof(double) : sizeof(float);
}

template <class T> void permute(T* entries, Integer count, const std::vector<int>& order) {
    std::vector<T> copied(order.size());
    const auto length = std::ssize(order);
    for (Integer begin = 0; begin + length <= count; begin += length) {
        std::copy_n(entries + begin, length, copied.begin());
        for (Integer l = 0; l < length; ++l)
            entries[begin + l] = copied[static_cast<std::size_t>(order[static_cast<std::size_t>(l)])];
    }
}

} // namespace

Table::Table(DataType element, Integer entries) : element_(element), entries_(entries) {
    ensure(element == DataType::int64 || is_floating(element), "a table of {}", name_of(element));
    ensure(entries > 0, "a table of {} entries", entries);
    memory_.reset(static_cast<std::byte*>(::operator new (bytes(), std::align_val_t{alignment})));
    std::memset(memory_.get(), 0, bytes());
}

Table::Table(DataType element, const std::vector<long double>& values) : Table(element, std::ssize(values)) {
    for (Integer i = 0; i < entries_; ++i) set(i, values[static_cast<std::size_t>(i)]);
}

Table::Table(const std::vector<Integer>& values) : Table(DataType::int64, std::ssize(values)) {
    std::copy(values.begin(), values.end(), of<Integer>());
}

Table::Table(const Table& other) : Table(other.element_, other.entries_) {
    std::memcpy(memory_.get(), other.memory_.get(), bytes());
}

std::size_t Table::bytes() const { return static_cast<std::size_t>(entries_) * entry_bytes(element_); }

void Table::put(Integer first, const Table& other) {
    ensure(other.element_ == element_ && first >= 0 && first + other.entries_ <= entries_,
           "{} entries from {} on put into a table of {}", other.entries_, first, entries_);
    if (other.entries_ == 0) return;
    std::memcpy(
        memory_.get() + bytes() / static_cast<std::size_t>(entries_) * static_cast<std::size_t>(first),
        other.memory_.get(), other.bytes());
}

void Table::set(Integer i, long double value) {
    if (element_ == DataType::float64)
        of<double>()[i] = static_cast<double>(value);
    else if (element_ == DataType::float32)
        of<float>()[i] = static_cast<float>(value);
    else
        of<float>()[i] = static_cast<float>(round_to(element_, value));
}

long double Table::operator[](Integer i) const {
    ensure(i >= 0 && i < entries_, "entry {} of a table of {}", i, entries_);
    switch (element_) {
    case DataType::float64: return of<double>()[i];
    case DataType::int64: return static_cast<long double>(of<Integer>()[i]);
    default: return of<float>()[i];
    }
}

std::span<const Integer> Table::integers() const {
    ensure(element_ == DataType::int64, "integers of a table of {}", name_of(element_));
    return {of<Integer>(), static_cast<std::size_t>(entries_)};
}

void Table::permute_blocks(const std::vector<int>& order) {
    if (entry_bytes(element_) == sizeof(double))
        permute(of<double>(), entries_, order);
    else
        permute(of<float>(), entries_, order);
}

bool Table::operator==(const Table& other) const {
    return element_ == other.element_ && entries_ == other.entries_ &&
           (entries_ == 0 || std::memcmp(memory_.get(), other.memory_.get(), bytes()) == 0);
}

TableData shared(Table table) { return std::make_shared<Table>(std::move(table)); }

Table& own(TableData& contents) {
    if (contents.use_count() != 1) contents = std::make_shared<Table>(*contents);
    return const_cast<Table&>(*contents);
}

} // namespace swirl::ir
