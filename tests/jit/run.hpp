#pragma once

#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/program.hpp"
#include "jit/compile.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <swirl/half.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace swirl::jit::test {

/// The CPUs of the table that this machine can run and that have machine code.
inline std::vector<const target::Cpu*> runnable_cpus() {
    std::vector<const target::Cpu*> result;
    for (const target::Cpu* cpu : target::cpus())
        if (cpu->set != target::InstructionSet::portable && target::host_can_run(*cpu)) result.push_back(cpu);
    return result;
}

/// Machine code mapped for execution.
class Mapped {
public:
    using Function = void (*)(void* const* buffers, const std::int64_t* parameters);

    explicit Mapped(const MachineCode& code) : size_((code.bytes.size() + 4095) / 4096 * 4096) {
        memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory_ == MAP_FAILED) throw std::runtime_error("mmap");
        std::memcpy(memory_, code.bytes.data(), code.bytes.size());
        if (mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) throw std::runtime_error("mprotect");
    }
    ~Mapped() { munmap(memory_, size_); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    Function function() const { return std::bit_cast<Function>(memory_); }

private:
    void* memory_ = nullptr;
    std::size_t size_;
};

/// Raw memory of one buffer between guard zones that must stay as they are.
class RawBuffer {
public:
    static constexpr std::size_t guard = 256;

    RawBuffer(const ir::BufferInfo& info, ir::Memory& contents)
        : scalar_(info.element),
          size_(static_cast<std::size_t>(bytes_of(info.element))),
          count_(static_cast<std::size_t>(contents.elements())),
          first_(contents.first()),
          bytes_(2 * guard + count_ * size_, 0xa5) {
        for (Integer i = 0; i < contents.elements(); ++i)
            if (contents.is_written(first_ + i)) set(i, contents, first_ + i);
    }

    /// Address of index 0.
    void* pointer() { return bytes_.data() + guard - static_cast<std::ptrdiff_t>(size_) * first_; }

    bool guards_are_intact() const {
        for (std::size_t i = 0; i < guard; ++i)
            if (bytes_[i] != 0xa5 || bytes_[bytes_.size() - 1 - i] != 0xa5) return false;
        return true;
    }

    /// The first element that differs in a bit, or −1.
    Integer first_difference(const ir::Memory& contents) const {
        for (Integer i = 0; i < contents.elements(); ++i)
            if (contents.is_written(first_ + i) && !equal(i, contents[first_ + i])) return first_ + i;
        return -1;
    }

    double value(Integer index) const { return number(index - first_); }

private:
    std::size_t at(Integer i) const { return guard + static_cast<std::size_t>(i) * size_; }
    void set(Integer i, const ir::Memory& contents, Integer index) {
        if (scalar_ == DataType::float64)
            put(i, static_cast<double>(contents[index]));
        else if (scalar_ == DataType::float32)
            put(i, static_cast<float>(contents[index]));
        else if (scalar_ == DataType::float16)
            put(i, float16(static_cast<float>(contents[index])));
        else if (scalar_ == DataType::bfloat16)
            put(i, bfloat16(static_cast<float>(contents[index])));
        else // the lowest byte is the first
            std::memcpy(bytes_.data() + at(i), std::array{static_cast<std::int64_t>(contents[index])}.data(),
                        size_);
    }
    template <class T> void put(Integer i, T value) {
        std::memcpy(bytes_.data() + at(i), &value, sizeof value);
    }
    template <class T> T get(Integer i) const {
        T value;
        std::memcpy(&value, bytes_.data() + at(i), sizeof value);
        return value;
    }
    double number(Integer i) const {
        if (scalar_ == DataType::float64) return get<double>(i);
        if (scalar_ == DataType::float32) return get<float>(i);
        switch (scalar_) {
        case DataType::int8: return get<std::int8_t>(i);
        case DataType::uint8: return get<std::uint8_t>(i);
        case DataType::int16: return get<std::int16_t>(i);
        case DataType::uint16: return get<std::uint16_t>(i);
        case DataType::int32: return get<std::int32_t>(i);
        case DataType::float16: return static_cast<double>(get<float16>(i));
        case DataType::bfloat16: return static_cast<double>(get<bfloat16>(i));
        default: return static_cast<double>(get<std::int64_t>(i));
        }
    }
    bool equal(Integer i, long double expected) const {
        const auto wanted = static_cast<double>(expected);
        const double found = number(i);
        if (wanted != wanted) return found != found;
        return std::bit_cast<std::uint64_t>(wanted) == std::bit_cast<std::uint64_t>(found);
    }

    DataType scalar_;
    std::size_t size_;
    std::size_t count_;
    Integer first_;
    std::vector<std::uint8_t> bytes_;
};

struct RunOptions {
    std::vector<Integer> parameters = {};
    bool in_place = false; ///< arguments 0 and 1 are the same memory
    bool integers = false; ///< data are small integers instead of arbitrary values
    unsigned seed = 1;
    bool print_on_failure = true;
};

/// Runs a program in the interpreter and as machine code on the same random data; every element of every argument must
/// agree in every bit.
inline CodeStatistics expect_same(const ir::Program& program, const target::Cpu& cpu,
                                  const RunOptions& options = {}) {
    std::mt19937 random(options.seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    ir::Arguments arguments(program);
    arguments.parameters = options.parameters;
    if (options.in_place) arguments.alias(program.buffers[0].name, program.buffers[1].name);
    std::vector<RawBuffer> raw;
    raw.reserve(program.buffers.size());
    std::vector<void*> pointers;
    std::vector<std::size_t> shown;
    for (std::size_t b = 0; b < program.buffers.size(); ++b) {
        const ir::BufferInfo& info = program.buffers[b];
        if (info.space == ir::Space::local) continue;
        ir::Memory& memory = arguments[static_cast<ir::Buffer>(b)];
        const bool is_alias = options.in_place && b == 1;
        if (info.space == ir::Space::argument && !is_alias)
            for (Integer i = 0; i < memory.elements(); ++i) {
                if (info.element == DataType::int64)
                    memory.set_integer(memory.first() + i, i % 7);
                else if (is_integer(info.element))
                    memory.set_integer(memory.first() + i, static_cast<Integer>(random()));
                else
                    memory.set(memory.first() + i,
                               options.integers ? std::floor(9 * uniform(random)) : uniform(random));
            }
        raw.emplace_back(info, memory);
        shown.push_back(b);
        pointers.push_back(is_alias ? pointers.front() : raw.back().pointer());
    }
    const MachineCode code =
        compile(program, cpu, {.listing = true, .arguments_may_overlap = options.in_place});
    EXPECT_EQ(code.bytes.size(), code.statistics.bytes);
    const Mapped mapped(code);
    mapped.function()(pointers.data(), options.parameters.data());
    ir::interpret(program, arguments);
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const ir::BufferInfo& info = program.buffers[shown[i]];
        EXPECT_TRUE(raw[i].guards_are_intact()) << "around " << info.name << " on " << cpu.name;
        if (info.space != ir::Space::argument || (options.in_place && i == 1)) continue;
        const ir::Memory& expected = arguments[info.name];
        const Integer at = raw[i].first_difference(expected);
        if (at < 0) continue;
        ADD_FAILURE() << program.name << " on " << cpu.name << ": " << info.name << "[" << at
                      << "] = " << raw[i].value(at) << ", not " << static_cast<double>(expected[at])
                      << (options.print_on_failure ? "\n" + ir::to_string(program) + "\n" + code.listing
                                                   : "");
        break;
    }
    return code.statistics;
}

} // namespace swirl::jit::test
