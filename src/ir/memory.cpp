#include "ir/memory.hpp"

#include "ir/integers.hpp"
#include "ir/rounding.hpp"
#include "ir/type_rules.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::ir {

Memory::Memory(DataType element, Integer elements, Integer first)
    : element_(element),
      first_(first),
      cells_(static_cast<std::size_t>(elements)),
      written_(static_cast<std::size_t>(elements), 0) {}

Memory::Memory(const BufferInfo& buffer) : Memory(buffer.element, buffer.elements, buffer.first) {
    if (buffer.space != Space::table) return;
    ensure(buffer.contents != nullptr && buffer.contents->size() >= elements(), "table '{}' has no contents",
           buffer.name);
    for (Integer i = 0; i < elements(); ++i)
        if (buffer.element == DataType::int64)
            set_integer(first_ + i, buffer.contents->integers()[static_cast<std::size_t>(i)]);
        else
            set(first_ + i, (*buffer.contents)[i]);
}

std::size_t Memory::position(Integer index) const {
    ensure(contains(index), "element {} outside {}…{}", index, first_, first_ + elements() - 1);
    return static_cast<std::size_t>(index - first_);
}

void Memory::set(Integer index, long double value) {
    if (!is_floating(element_)) return set_integer(index, static_cast<Integer>(value));
    cells_[position(index)].real = round_to(element_, value);
    written_[position(index)] = 1;
}

void Memory::set_integer(Integer index, Integer value) {
    if (is_floating(element_))
        cells_[position(index)].real = round_to(element_, value);
    else
        cells_[position(index)].integer = wrapped(element_, value);
    written_[position(index)] = 1;
}

long double Memory::operator[](Integer index) const {
    ensure(is_written(index), "element {} has not been written", index);
    const Cell& cell = cells_[position(index)];
    return is_floating(element_) ? static_cast<long double>(cell.real)
                                 : static_cast<long double>(cell.integer);
}

std::vector<double> Memory::values() const {
    std::vector<double> result(cells_.size());
    for (Integer i = 0; i < elements(); ++i)
        result[static_cast<std::size_t>(i)] = static_cast<double>((*this)[first_ + i]);
    return result;
}

void Memory::mark_unwritten() { std::fill(written_.begin(), written_.end(), static_cast<unsigned char>(0)); }

Arguments::Arguments(const Program& program) {
    for (const BufferInfo& buffer : program.buffers) {
        names_.push_back(buffer.name);
        const bool of_caller = buffer.space != Space::local && buffer.space != Space::shared;
        memories_.push_back(of_caller ? std::make_shared<Memory>(buffer) : nullptr);
    }
}

std::size_t Arguments::position(std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    ensure(at != names_.end(), "there is no buffer '{}'", name);
    return static_cast<std::size_t>(at - names_.begin());
}

Memory& Arguments::operator[](Buffer buffer) {
    const auto at = static_cast<std::size_t>(buffer);
    ensure(at < memories_.size() && memories_[at] != nullptr, "buffer {} has no memory of the caller",
           buffer);
    return *memories_[at];
}

Memory& Arguments::operator[](std::string_view name) { return (*this)[static_cast<Buffer>(position(name))]; }

const Memory& Arguments::operator[](std::string_view name) const {
    const auto& memory = memories_[position(name)];
    ensure(memory != nullptr, "buffer '{}' has no memory of the caller", name);
    return *memory;
}

void Arguments::alias(std::string_view buffer, std::string_view target) {
    memories_[position(buffer)] = memories_[position(target)];
}

void Arguments::bind(std::string_view buffer, std::shared_ptr<Memory> memory) {
    memories_[position(buffer)] = std::move(memory);
}

std::shared_ptr<Memory> Arguments::shared(std::string_view buffer) const {
    return memories_[position(buffer)];
}

} // namespace swirl::ir
