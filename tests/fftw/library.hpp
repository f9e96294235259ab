#pragma once

#include <swirl-fftw/fftw3.h>

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <type_traits>

/// The libraries as programs use them: loaded, their functions found by name.
namespace swirl::test {

inline void* loaded(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return library;
}
inline void* symbol(void* library, const std::string& name) {
    void* const found = dlsym(library, name.c_str());
    if (found == nullptr) throw std::runtime_error("no " + name);
    return found;
}

/// One precision of the interface. SWIRL_CALL(R, plan_dft)(…) calls fftw_plan_dft or fftwf_plan_dft.
template <class R> struct Precision;
template <> struct Precision<double> {
    using Plan = fftw_plan;
    using Complex = fftw_complex;
    static void* library() {
        static void* const of_process = loaded(SWIRL_FFTW3_LIBRARY);
        return of_process;
    }
    static std::string name(const std::string& function) { return "fftw_" + function; }
    static std::string fortran_name(const std::string& function) { return "dfftw_" + function + "_"; }
};
template <> struct Precision<float> {
    using Plan = fftwf_plan;
    using Complex = fftwf_complex;
    static void* library() {
        static void* const of_process = loaded(SWIRL_FFTW3F_LIBRARY);
        return of_process;
    }
    static std::string name(const std::string& function) { return "fftwf_" + function; }
    static std::string fortran_name(const std::string& function) { return "sfftw_" + function + "_"; }
};

/// A function of the interface, with the type that the header gives it.
#define SWIRL_CALL(R, function)                                                                 \
    (reinterpret_cast<std::conditional_t<std::is_same_v<R, double>, decltype(&fftw_##function), \
                                         decltype(&fftwf_##function)>>(                         \
        ::swirl::test::symbol(::swirl::test::Precision<R>::library(),                           \
                              ::swirl::test::Precision<R>::name(#function))))

/// A function for Fortran.
template <class R, class... Arguments>
void call_fortran(const std::string& function, Arguments... arguments) {
    void* const found = symbol(Precision<R>::library(), Precision<R>::fortran_name(function));
    reinterpret_cast<void (*)(Arguments...)>(found)(arguments...);
}

} // namespace swirl::test
