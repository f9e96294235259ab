/// Arguments of Plan::execute. Programs pass pointers, arrays and numbers; these classes take them.
#pragma once

#include <swirl/export.h>
#include <swirl/data_type.hpp>
#include <swirl/element.hpp>
#include <swirl/kinds.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace swirl {

namespace planning {
class PackedMatrix;
}

/// Scratch memory supplied by the caller: at least Plan::workspace_bytes() long, aligned to 64 bytes on the CPU and 256
/// on a GPU, used by one execution at a time. Default: the library takes memory itself.
struct Workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

namespace detail {

/// Type of an array's elements.
struct ElementType {
    enum class Known : std::uint8_t {
        nothing, ///< void
        bytes,   ///< another library's type, such as float2: only its size
        type,    ///< the data type
    };
    Known known = Known::nothing;
    std::uint8_t bytes = 0;
    DataType type = DataType::float32;
    /// Different for different types; 0 where nothing is known.
    constexpr std::uint32_t code() const {
        return known == Known::nothing
                   ? 0
                   : static_cast<std::uint32_t>(known) << 16 | static_cast<std::uint32_t>(bytes) << 8 |
                         static_cast<std::uint32_t>(type);
    }
    friend constexpr bool operator==(ElementType a, ElementType b) {
        return a.known == b.known && a.bytes == b.bytes && a.type == b.type;
    }
    friend constexpr bool operator!=(ElementType a, ElementType b) { return !(a == b); }
};

/// Pairs of real and imaginary components, such as fftw_complex.
template <class T>
inline constexpr bool is_pair = std::is_same_v<T, float[2]> || std::is_same_v<T, double[2]>;

/// Another library's element types: float2, cufftComplex, __half, __nv_bfloat162 and the like.
template <class T, class = void> struct ForeignElement : std::false_type {}; // incomplete types too
template <class T>
struct ForeignElement<T, std::enable_if_t<std::is_class_v<T> && !is_element<T> && (sizeof(T) > 0)>>
    : std::bool_constant<std::is_trivially_copyable_v<T> &&
                         (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                          sizeof(T) == 16)> {};

/// Types that arrays may have.
template <class T>
inline constexpr bool is_array_element =
    std::is_void_v<T> || is_element<T> || is_pair<T> || ForeignElement<T>::value;

template <class T> constexpr ElementType element_type_of() {
    using Known = ElementType::Known;
    if constexpr (std::is_void_v<T>)
        return {};
    else if constexpr (is_pair<T>)
        return {Known::type, sizeof(T), complex_of(data_type_of<std::remove_extent_t<T>>())};
    else if constexpr (is_element<T>)
        return {Known::type, sizeof(T), data_type_of<T>()};
    else
        return {Known::bytes, sizeof(T), DataType::float32};
}

/// An array as given to an execution: its element with index 0.
struct ArrayArgument {
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);
    void* data = nullptr;
    std::size_t elements = unknown; ///< from `data` on
    ElementType type = {};
    bool is_const = false;
};

template <class R> using ElementOf = std::remove_pointer_t<decltype(std::declval<R&>().data())>;
/// Arrays that know their size: std::vector, std::span, std::array, gpu::Array and the like.
template <class R, class = void> struct SizedArray : std::false_type {};
template <class R>
struct SizedArray<R, std::void_t<decltype(std::declval<R&>().data()), decltype(std::declval<R&>().size())>>
    : std::bool_constant<std::is_pointer_v<decltype(std::declval<R&>().data())> &&
                         std::is_convertible_v<decltype(std::declval<R&>().size()), std::size_t> &&
                         !std::is_void_v<ElementOf<R>> &&
                         is_array_element<std::remove_const_t<ElementOf<R>>>> {};
/// Of elements that can be written.
template <class R, class = void> struct WritableSizedArray : std::false_type {};
template <class R>
struct WritableSizedArray<R, std::enable_if_t<SizedArray<R>::value>>
    : std::bool_constant<!std::is_const_v<ElementOf<R>>> {};

/// Template parameters of constructors: pointers to elements that are read or written, arrays that know their size.
template <class T> using ForElement = std::enable_if_t<is_array_element<T>, int>;
template <class T>
using ForWritableElement = std::enable_if_t<is_array_element<T> && !std::is_const_v<T>, int>;
template <class R> using ForSizedArray = std::enable_if_t<SizedArray<R>::value, int>;
template <class R> using ForWritableSizedArray = std::enable_if_t<WritableSizedArray<R>::value, int>;

} // namespace detail

/// An array that an execution reads: a pointer to its element with index 0, or a vector, span or the like, whose extent
/// is then checked.
class Input {
public:
    Input() = default;
    Input(std::nullptr_t) {}
    template <class T, detail::ForElement<T> = 0>
    Input(const T* data)
        : array_{const_cast<T*>(data), detail::ArrayArgument::unknown, detail::element_type_of<T>(), true} {}
    template <class T, detail::ForWritableElement<T> = 0>
    Input(T* data) : array_{data, detail::ArrayArgument::unknown, detail::element_type_of<T>(), false} {}
    template <class R, detail::ForSizedArray<R> = 0> Input(R&& range) {
        using T = detail::ElementOf<R>;
        array_ = {const_cast<std::remove_const_t<T>*>(range.data()), range.size(),
                  detail::element_type_of<std::remove_const_t<T>>(), std::is_const_v<T>};
    }
    const detail::ArrayArgument& array() const { return array_; }

private:
    detail::ArrayArgument array_;
};

/// An array that an execution writes, in the same forms.
class Output {
public:
    template <class T, detail::ForWritableElement<T> = 0>
    Output(T* data) : array_{data, detail::ArrayArgument::unknown, detail::element_type_of<T>(), false} {}
    template <class R, detail::ForWritableSizedArray<R> = 0>
    Output(R&& range)
        : array_{range.data(), range.size(), detail::element_type_of<detail::ElementOf<R>>(), false} {}
    const detail::ArrayArgument& array() const { return array_; }

private:
    detail::ArrayArgument array_;
};

/// α or β: a number, converted to the data type of the accumulators. A fraction or an imaginary component that this
/// type does not have is a UserError.
class Scalar {
public:
    constexpr Scalar() = default;
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    constexpr Scalar(T value) : real_(static_cast<double>(value)) {}
    template <class T>
    constexpr Scalar(std::complex<T> value) : real_(value.real()), imaginary_(value.imag()) {}
    constexpr double real() const { return real_; }
    constexpr double imaginary() const { return imaginary_; }
    friend constexpr bool operator==(Scalar a, double b) { return a.real_ == b && a.imaginary_ == 0; }

private:
    double real_ = 0, imaginary_ = 0;
};

/// A prepacked operand of products on the CPU (Plan::pack_a, Plan::pack_b): immutable, cheap to copy (copies share
/// state), safe to use from any number of plans and threads at once. The source matrix is no longer needed.
class SWIRL_API PackedMatrix {
public:
    PackedMatrix() = default; ///< none
    explicit operator bool() const { return matrix_ != nullptr; }
    std::size_t bytes() const; ///< memory used

    /// For the library's own use.
    explicit PackedMatrix(std::shared_ptr<const planning::PackedMatrix> matrix)
        : matrix_(std::move(matrix)) {}
    const planning::PackedMatrix* matrix() const { return matrix_.get(); }

private:
    std::shared_ptr<const planning::PackedMatrix> matrix_;
};

/// A or B of a product: an array, or a prepacked matrix.
class Operand : public Input {
public:
    using Input::Input;
    Operand() = default;
    Operand(const PackedMatrix& packed) : packed_(packed.matrix()) {}
    const planning::PackedMatrix* packed() const { return packed_; }

private:
    const planning::PackedMatrix* packed_ = nullptr;
};

/// An array of pointers to matrices.
template <class Pointer> class PointerArray {
public:
    PointerArray() = default;
    PointerArray(std::nullptr_t) {}
    template <class T, std::enable_if_t<detail::is_array_element<std::remove_const_t<T>> &&
                                            std::is_convertible_v<T*, Pointer>,
                                        int> = 0>
    PointerArray(T* const* pointers)
        : pointers_(reinterpret_cast<const Pointer*>(pointers)),
          type_(detail::element_type_of<std::remove_const_t<T>>()) {}
    const Pointer* pointers() const { return pointers_; }
    detail::ElementType type() const { return type_; }

private:
    const Pointer* pointers_ = nullptr;
    detail::ElementType type_ = {};
};
using InputPointers = PointerArray<const void*>;
using OutputPointers = PointerArray<void*>;

} // namespace swirl
