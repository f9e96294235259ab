#pragma once

#include "emit/literal.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/program.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

/// Emitted kernels and the interpreter on the same data.
namespace swirl::emit {

using Kernel = void(void* const*, const std::int64_t*);

inline bool is_passed(const ir::BufferInfo& buffer) {
    return buffer.space != ir::Space::local && buffer.space != ir::Space::shared;
}

/// One buffer with C++ types and addresses.
class NativeBuffer {
public:
    explicit NativeBuffer(const ir::BufferInfo& buffer)
        : info_(buffer), bytes_(static_cast<std::size_t>(buffer.elements * bytes_of(buffer.element)), 0xff) {}

    void set(Integer index, long double value) {
        switch (info_.element) {
        case DataType::float32: return put(index, static_cast<float>(value));
        case DataType::float64: return put(index, static_cast<double>(value));
        case DataType::float16:
        case DataType::bfloat16:
            return put(index, static_cast<std::uint16_t>(
                                  std::stoul(bits_literal(value, info_.element), nullptr, 16)));
        default: return put(index, static_cast<std::int64_t>(value));
        }
    }
    /// Whether the element has the bits of `value`.
    bool holds(Integer index, long double value) {
        NativeBuffer other(info_);
        other.set(index, value);
        const std::size_t size = static_cast<std::size_t>(bytes_of(info_.element));
        return std::memcmp(at(index), other.at(index), size) == 0;
    }
    void* origin() { return at(0); }
    std::size_t bytes_before_origin() const {
        return static_cast<std::size_t>(-info_.first * bytes_of(info_.element));
    }
    std::vector<unsigned char>& bytes() { return bytes_; }

private:
    template <class T> void put(Integer index, T value) { std::memcpy(at(index), &value, sizeof value); }
    unsigned char* at(Integer index) {
        return bytes_.data() + (index - info_.first) * bytes_of(info_.element);
    }

    ir::BufferInfo info_;
    std::vector<unsigned char> bytes_;
};

/// Numbers of all kinds: both zeros, denormals, halves that round either way, ordinary ones.
inline double sample_value(std::mt19937& random) {
    switch (std::uniform_int_distribution<int>(0, 9)(random)) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return 3e-310;
    case 3: return std::uniform_int_distribution<int>(-4, 4)(random) * 0.5;
    default: return std::normal_distribution<double>()(random);
    }
}

/// The data of one call: random arguments, and what the interpreter makes of them.
class KernelCall {
public:
    KernelCall(const ir::Program& program, std::vector<Integer> parameters, unsigned seed)
        : program_(program), arguments_(program) {
        std::mt19937 random(seed);
        native_.reserve(program.buffers.size());
        for (const ir::BufferInfo& buffer : program.buffers) {
            native_.emplace_back(buffer);
            if (buffer.space == ir::Space::argument) fill(buffer, random);
        }
        arguments_.parameters = std::move(parameters);
        ir::interpret(program, arguments_);
    }

    const std::vector<Integer>& parameters() const { return arguments_.parameters; }

    /// The kernel's buffers in order; nullptr for tables, which the file contains.
    std::vector<NativeBuffer*> passed() {
        std::vector<NativeBuffer*> result;
        for (std::size_t b = 0; b < native_.size(); ++b)
            if (is_passed(program_.buffers[b]))
                result.push_back(program_.buffers[b].space == ir::Space::table ? nullptr : &native_[b]);
        return result;
    }

    void run(Kernel* kernel) {
        std::vector<void*> arguments;
        for (NativeBuffer* buffer : passed())
            arguments.push_back(buffer == nullptr ? nullptr : buffer->origin());
        kernel(arguments.data(), parameters().data());
    }

    NativeBuffer& native(std::size_t buffer) { return native_[buffer]; }

    /// The elements of arguments must be what they are after the interpreter, in all bits.
    void expect_same_bits() {
        for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
            const ir::BufferInfo& buffer = program_.buffers[b];
            if (buffer.space != ir::Space::argument) continue;
            for (Integer i = buffer.first; i < buffer.first + buffer.elements; ++i)
                ASSERT_TRUE(native_[b].holds(i, arguments_[buffer.name][i]))
                    << program_.name << ": " << buffer.name << "[" << i << "] should be "
                    << static_cast<double>(arguments_[buffer.name][i]) << "\n"
                    << ir::to_string(program_);
        }
    }

private:
    void fill(const ir::BufferInfo& buffer, std::mt19937& random) {
        for (Integer i = buffer.first; i < buffer.first + buffer.elements; ++i) {
            if (buffer.by_value) // nonzero: their flags are set
                arguments_[buffer.name].set(i, static_cast<long double>(i) + 1.25L);
            else if (is_floating(buffer.element))
                arguments_[buffer.name].set(i, sample_value(random));
            else
                arguments_[buffer.name].set_integer(i, std::uniform_int_distribution<int>(-99, 99)(random));
            native_.back().set(i, arguments_[buffer.name][i]);
        }
    }

    const ir::Program& program_;
    ir::Arguments arguments_;
    std::vector<NativeBuffer> native_;
};

} // namespace swirl::emit
