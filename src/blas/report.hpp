#pragma once

#include <exception>

/// How routines report invalid arguments.
namespace swirl::blas {

/// The routine called, such as "dgemm", its interface, and whether its integers have 64 bits.
struct Caller {
    enum class Interface : unsigned char { fortran, cblas };
    const char* routine;
    Interface interface;
    bool wide;
};

/// Calls the program's error handler for the argument at `position` of the Fortran routine, then returns. The Fortran
/// handler is `xerbla_` (`xerbla_64_`, if present, for 64-bit integers). The C handler is `cblas_xerbla`
/// (`cblas_xerbla_64`), which counts the layout as the first argument, so its position is one more. Handlers are looked
/// up in the running program, whose own precede those of its libraries. Without a handler, prints the message.
void report_argument(const Caller& caller, int position, bool row_major);

/// Reports an invalid enumerator at `position` of the C interface.
void report_enumerator(const Caller& caller, int position, const char* what, int value, bool row_major);

/// The interfaces cannot report exhausted memory: prints the reason and ends the program.
[[noreturn]] void give_up(const Caller& caller, const std::exception& reason);

} // namespace swirl::blas
