#pragma once

#include <exception>

/// What a routine does about arguments it cannot work with.
namespace swirl::blas {

/// Who was called: "dgemm", through which interface, with integers of 64 bits or of 32.
struct Caller {
    enum class Interface : unsigned char { fortran, cblas };
    const char* routine;
    Interface interface;
    bool wide;
};

/// Tells the program's error handler that the argument at `position` of the Fortran routine is wrong, then returns. Of
/// Fortran's interface the handler is `xerbla_` (`xerbla_64_`, where there is one, for wide integers); of C's `cblas_xerbla`
/// (`cblas_xerbla_64`), which counts the layout before the others, so that its position is one more. They are looked up
/// in the running program: its own come before those of its libraries. Where there is none the message is printed.
void report_argument(const Caller& caller, int position, bool by_rows);

/// An enumerator of C's interface, at `position` there, that is none of those allowed.
void report_enumerator(const Caller& caller, int position, const char* what, int value, bool by_rows);

/// The interfaces have no way to say that memory ran out: prints the reason and ends the program.
[[noreturn]] void give_up(const Caller& caller, const std::exception& reason);

} // namespace swirl::blas
