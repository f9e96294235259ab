/// Transforms and products on NVIDIA GPUs, for programs without CUDA's headers. The first plan or allocation loads the
/// driver; neither building nor running needs the CUDA toolkit.
///
///     swirl::gpu::Array<std::complex<float>> x(signal), y(signal.size());
///     swirl::plan("dft 1024 float32 batch=1000", {.device = swirl::Device::gpu()}).execute(x, y);
///     y.copy_to(spectrum);
///
/// 16-bit formats halve memory and traffic. Arithmetic is float32; results are rounded once (in several dimensions, at
/// most once per dimension). float16 overflows to infinity beyond 65504. A forward transform of n elements of magnitude
/// around 1 grows to at most n, so give it a scale, such as scale=1/n.
///
///     swirl::gpu::Array<swirl::complex_float16> u(2048), v(2048);
///     swirl::plan("dft 2048 float16 scale=1/2048", {.device = swirl::Device::gpu()}).execute(u, v);
#pragma once

#include <swirl/export.h>
#include <swirl/arrays.hpp>
#include <swirl/element.hpp>
#include <swirl/error.hpp>
#include <swirl/stream.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace swirl::gpu {

/// Device memory, freed with the object, for programs that do not allocate through CUDA. Contents are uninitialised.
class SWIRL_API Memory {
public:
    /// Throws OutOfMemory.
    explicit Memory(std::size_t bytes, int ordinal = 0);
    ~Memory();
    Memory(Memory&&) noexcept;
    Memory& operator=(Memory&&) noexcept;

    void* data() const;
    std::size_t bytes() const;
    /// Copy from and to host memory, at most bytes() bytes. Both wait for all work on the GPU.
    void copy_from(const void* host, std::size_t bytes);
    void copy_to(void* host, std::size_t bytes) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// An array of elements of type T in device memory.
template <class T> class Array {
    static_assert(is_element<T> || std::is_pointer_v<T>,
                  "arrays have elements of swirl's data types, or pointers");

public:
    explicit Array(std::size_t count, int ordinal = 0) : memory_(count * sizeof(T), ordinal) {}
    explicit Array(const std::vector<T>& host, int ordinal = 0) : Array(host.size(), ordinal) {
        copy_from(host);
    }

    T* data() const { return static_cast<T*>(memory_.data()); }
    std::size_t size() const { return memory_.bytes() / sizeof(T); }
    /// From and to a vector, span or the like, of at most size() elements.
    template <class Host> void copy_from(const Host& host) {
        memory_.copy_from(first_of<const T>(host), bytes_of(host));
    }
    template <class Host> void copy_to(Host&& host) const {
        memory_.copy_to(first_of<T>(host), bytes_of(host));
    }

private:
    template <class U, class Host> static U* first_of(Host& host) {
        static_assert(std::is_convertible_v<decltype(std::data(host)), U*>,
                      "the elements on the host are of another type");
        return std::data(host);
    }
    template <class Host> static std::size_t bytes_of(const Host& host) {
        return std::size(host) * sizeof(T);
    }

    Memory memory_;
};

} // namespace swirl::gpu
