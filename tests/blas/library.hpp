#pragma once

#include <dlfcn.h>

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>

/// The library as programs use it: loaded, its functions found by name.
namespace swirl::test {

template <class T> inline constexpr char letter_of = 0;
template <> inline constexpr char letter_of<float> = 's';
template <> inline constexpr char letter_of<double> = 'd';
template <> inline constexpr char letter_of<std::complex<float>> = 'c';
template <> inline constexpr char letter_of<std::complex<double>> = 'z';

inline void* blas_symbol(const std::string& name) {
    static void* const library = dlopen(SWIRL_BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    void* const symbol = dlsym(library, name.c_str());
    if (symbol == nullptr) throw std::runtime_error("no " + name);
    return symbol;
}

/// How a routine is called.
struct Interface {
    bool c = false;       ///< CBLAS, else Fortran's
    bool by_rows = false; ///< of CBLAS alone
    bool wide = false;    ///< integers of 64 bits

    std::string name_of(const std::string& routine) const {
        return c ? "cblas_" + routine + (wide ? "_64" : "") : routine + (wide ? "_64_" : "_");
    }
};
constexpr Interface interfaces[] = {
    {},
    {.wide = true},
    {.c = true},
    {.c = true, .wide = true},
    {.c = true, .by_rows = true},
    {.c = true, .by_rows = true, .wide = true},
};

// Enumerators of CBLAS.
constexpr int layout_of(const Interface& interface) { return interface.by_rows ? 101 : 102; }
constexpr int enumerator_of_transpose(char letter) { return letter == 'N' ? 111 : letter == 'T' ? 112 : 113; }
constexpr int enumerator_of_uplo(char letter) { return letter == 'U' ? 121 : 122; }
constexpr int enumerator_of_diagonal(char letter) { return letter == 'N' ? 131 : 132; }
constexpr int enumerator_of_side(char letter) { return letter == 'L' ? 141 : 142; }

template <class T>
constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
/// How CBLAS takes scalars.
template <class T> using CScalar = std::conditional_t<is_complex_type<T>, const T*, T>;
template <class T> CScalar<T> as_c(const T& scalar) {
    if constexpr (is_complex_type<T>)
        return &scalar;
    else
        return scalar;
}

template <class... Arguments>
void call(const Interface& interface, const std::string& routine, Arguments... arguments) {
    reinterpret_cast<void (*)(Arguments...)>(blas_symbol(interface.name_of(routine)))(arguments...);
}

/// Calls `body(I())` for the interface's integers.
template <class Body> void with_integers(const Interface& interface, Body&& body) {
    if (interface.wide)
        body(std::int64_t());
    else
        body(std::int32_t());
}

} // namespace swirl::test
