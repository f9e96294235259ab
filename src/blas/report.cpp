#include "blas/report.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <swirl/export.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
/// Whether the error passed to cblas_xerbla is from a row-major call, whose arguments are those of the column-major
/// call that it becomes. The reference implementation has this variable, and handlers read it.
SWIRL_API int RowMajorStrg = 0;
}

/// Handlers that the program may define. Referring to them makes linkers export a program's own for dlsym.
extern "C" {
[[gnu::weak]] void xerbla_(const char* routine, const int* position, std::size_t length);
[[gnu::weak]] void xerbla_64_(const char* routine, const std::int64_t* position, std::size_t length);
[[gnu::weak]] void cblas_xerbla(int position, const char* routine, const char* format, ...);
[[gnu::weak]] void cblas_xerbla_64(int position, const char* routine, const char* format, ...);
}

namespace swirl::blas {
namespace {

using CHandler = void (*)(int position, const char* routine, const char* format, ...);
template <class Int>
using FortranHandler = void (*)(const char* routine, const Int* position, std::size_t length);

/// The program's handler, otherwise that of a library loaded since this one.
template <class Function> Function find(Function linked, const char* symbol) {
    return linked != nullptr ? linked : reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
}

/// In Fortran's form: upper case, padded with blanks to six characters.
std::string fortran_name(const char* routine) {
    std::string name(routine);
    for (char& letter : name) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    if (name.size() < 6) name.resize(6, ' ');
    return name;
}

std::string c_name(const Caller& caller) {
    return fmt::format("cblas_{}{}", caller.routine, caller.wide ? "_64" : "");
}

CHandler c_handler(const Caller& caller) {
    if (caller.wide)
        if (const auto handler = find<CHandler>(&cblas_xerbla_64, "cblas_xerbla_64")) return handler;
    return find<CHandler>(&cblas_xerbla, "cblas_xerbla");
}

void tell_fortran(const Caller& caller, int position) {
    const std::string name = fortran_name(caller.routine);
    const std::int64_t wide_position = position;
    if (caller.wide)
        if (const auto handler = find<FortranHandler<std::int64_t>>(&xerbla_64_, "xerbla_64_"))
            return handler(name.c_str(), &wide_position, name.size());
    if (const auto handler = find<FortranHandler<int>>(&xerbla_, "xerbla_"))
        return handler(name.c_str(), &position, name.size());
    fmt::print(stderr, " ** On entry to {} parameter number {:2} had an illegal value\n", name, position);
}

} // namespace

void report_argument(const Caller& caller, int position, bool row_major) {
    if (caller.interface == Caller::Interface::fortran) return tell_fortran(caller, position);
    const std::string name = c_name(caller);
    RowMajorStrg = row_major ? 1 : 0;
    if (const CHandler handler = c_handler(caller))
        handler(position + 1, name.c_str(), "");
    else
        fmt::print(stderr, "Parameter {} to routine {} was incorrect{}\n", position + 1, name,
                   row_major ? " (as counted for matrices by columns)" : "");
    RowMajorStrg = 0;
}

void report_enumerator(const Caller& caller, int position, const char* what, int value, bool row_major) {
    const std::string name = c_name(caller);
    RowMajorStrg = row_major ? 1 : 0;
    if (const CHandler handler = c_handler(caller))
        handler(position, name.c_str(), "Illegal %s setting, %d\n", what, value);
    else
        fmt::print(stderr, "Parameter {} to routine {} was incorrect\nIllegal {} setting, {}\n", position,
                   name, what, value);
    RowMajorStrg = 0;
}

void give_up(const Caller& caller, const std::exception& reason) {
    fmt::print(stderr, "swirl: {}: {}\n", caller.routine, reason.what());
    std::abort();
}

} // namespace swirl::blas
