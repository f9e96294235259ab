# Third-party libraries, and the folder of src/ that uses each. Folders not named here use none. All are compiled or linked in:
# the installed libraries need libc, libm and libstdc++ alone. A distribution may have them link the shared SQLite instead.

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_path(SWIRL_XXHASH_INCLUDE_DIR xxhash.h REQUIRED DOC "Folder of xxhash.h")
find_path(SWIRL_SQLITE_INCLUDE_DIR sqlite3.h REQUIRED DOC "Folder of sqlite3.h")
find_library(SWIRL_SQLITE_LIBRARY NAMES libsqlite3.a sqlite3 REQUIRED
    DOC "SQLite: a static library, or a shared one, which libswirl then needs")

# AsmJit has no releases. Its interface is the same from Debian 12's (5b5b0b3, 2022-12) over Debian 13's (1da9e4d, 2023-11) to
# 9eb6edb (2025-05), which the recipes in packaging/ name; later ones rename it (decision 78).
set(SWIRL_ASMJIT_SOURCE_DIR "" CACHE PATH "Folder of AsmJit's sources, to build it with swirl; empty: the installed AsmJit")
if(SWIRL_ASMJIT_SOURCE_DIR)
    file(GLOB_RECURSE asmjit_sources ${SWIRL_ASMJIT_SOURCE_DIR}/src/asmjit/*.cpp)
    if(NOT asmjit_sources)
        message(FATAL_ERROR "SWIRL_ASMJIT_SOURCE_DIR is '${SWIRL_ASMJIT_SOURCE_DIR}', which has no src/asmjit; name a folder of "
            "AsmJit's sources, of commit 9eb6edb or earlier")
    endif()
    add_library(swirl_asmjit STATIC ${asmjit_sources})
    add_library(asmjit::asmjit ALIAS swirl_asmjit)
    target_compile_definitions(swirl_asmjit PUBLIC ASMJIT_STATIC)
    target_compile_options(swirl_asmjit PRIVATE -w)
    target_include_directories(swirl_asmjit SYSTEM PUBLIC ${SWIRL_ASMJIT_SOURCE_DIR}/src)
else()
    find_package(asmjit CONFIG REQUIRED)
    get_target_property(asmjit_type asmjit::asmjit TYPE)
    if(NOT asmjit_type STREQUAL "STATIC_LIBRARY")
        message(FATAL_ERROR "asmjit has to be a static library, to be linked into libswirl")
    endif()
endif()

# src/base/format.cpp compiles fmt's source: everything that compiling against fmt needs, without its shared library.
add_library(swirl_fmt INTERFACE)
get_target_property(fmt_include_dirs fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(fmt_definitions fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
target_include_directories(swirl_fmt SYSTEM INTERFACE ${fmt_include_dirs})
if(fmt_definitions)
    target_compile_definitions(swirl_fmt INTERFACE ${fmt_definitions})
endif()

add_library(swirl_sqlite UNKNOWN IMPORTED)
set(SWIRL_HAVE_STATIC_LIBRARIES ON)
if(NOT SWIRL_SQLITE_LIBRARY MATCHES "\\.a$")
    set(SWIRL_HAVE_STATIC_LIBRARIES OFF)
    message(STATUS "swirl's static libraries are not built, since SQLite is a shared one: ${SWIRL_SQLITE_LIBRARY}")
endif()
set_target_properties(swirl_sqlite PROPERTIES IMPORTED_LOCATION ${SWIRL_SQLITE_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SWIRL_SQLITE_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES "m;Threads::Threads;${CMAKE_DL_LIBS}")

set(SWIRL_DEPENDENCIES_base swirl_fmt)
set(SWIRL_DEPENDENCIES_jit asmjit::asmjit)
set(SWIRL_DEPENDENCIES_runtime Threads::Threads ${CMAKE_DL_LIBS})
set(SWIRL_DEPENDENCIES_plan nlohmann_json::nlohmann_json)
set(SWIRL_DEPENDENCIES_search swirl_sqlite)
set(SWIRL_DEPENDENCIES_blas ${CMAKE_DL_LIBS})

# The rest is for the command line, tests, benchmarks and examples.
if(NOT SWIRL_BUILD_CLI AND NOT SWIRL_BUILD_TESTS AND NOT SWIRL_BUILD_BENCH AND NOT SWIRL_BUILD_EXAMPLES)
    return()
endif()
find_package(PkgConfig)

# FFTW is only a peer to compare with: tests and benchmarks link `swirl_fftw_peer` where it is present and
# look at SWIRL_HAVE_FFTW; the library never links it.
if(PKG_CONFIG_FOUND)
    pkg_check_modules(FFTW IMPORTED_TARGET fftw3 fftw3f fftw3l)
endif()
add_library(swirl_fftw_peer INTERFACE)
if(FFTW_FOUND)
    target_link_libraries(swirl_fftw_peer INTERFACE PkgConfig::FFTW)
    target_compile_definitions(swirl_fftw_peer INTERFACE SWIRL_HAVE_FFTW=1)
endif()

# pocketfft, a single header, is another peer, if it is found; scripts/peers puts it into the peers' folder.
find_path(SWIRL_POCKETFFT_INCLUDE_DIR pocketfft_hdronly.h DOC "Folder of pocketfft_hdronly.h"
    HINTS $ENV{SWIRL_PEERS}/pocketfft $ENV{XDG_CACHE_HOME}/swirl-peers/pocketfft $ENV{HOME}/.cache/swirl-peers/pocketfft)
add_library(swirl_pocketfft INTERFACE)
if(SWIRL_POCKETFFT_INCLUDE_DIR)
    target_include_directories(swirl_pocketfft SYSTEM INTERFACE ${SWIRL_POCKETFFT_INCLUDE_DIR})
    target_compile_definitions(swirl_pocketfft INTERFACE SWIRL_HAVE_POCKETFFT=1)
endif()

# DUCC0, too, but with options and files of its own: a separate library, opened at run time if it was built.
find_path(SWIRL_DUCC0_INCLUDE_DIR ducc0/fft/fft.h DOC "Folder src of DUCC0's sources"
    HINTS $ENV{SWIRL_PEERS}/ducc0/src $ENV{XDG_CACHE_HOME}/swirl-peers/ducc0/src $ENV{HOME}/.cache/swirl-peers/ducc0/src)

# VkFFT, a header that needs CUDA's toolkit, is a peer on GPUs: a separate library, opened at run time if it was built.
find_path(SWIRL_VKFFT_INCLUDE_DIR vkFFT.h DOC "Folder of vkFFT.h"
    HINTS $ENV{SWIRL_PEERS}/vkfft $ENV{XDG_CACHE_HOME}/swirl-peers/vkfft $ENV{HOME}/.cache/swirl-peers/vkfft
    PATH_SUFFIXES vkFFT)
set(SWIRL_HAVE_VKFFT FALSE)
if(SWIRL_VKFFT_INCLUDE_DIR)
    find_package(CUDAToolkit QUIET)
    if(TARGET CUDA::nvrtc AND TARGET CUDA::cudart AND TARGET CUDA::cuda_driver)
        set(SWIRL_HAVE_VKFFT TRUE)
    else()
        message(STATUS "VkFFT is not built: CUDA's toolkit was not found")
    endif()
endif()

# oneDNN's matmul is another peer: its primitives API is a C++ header, so it is a separate library, too.
set(peers_folders $ENV{SWIRL_PEERS}/dnnl $ENV{XDG_CACHE_HOME}/swirl-peers/dnnl $ENV{HOME}/.cache/swirl-peers/dnnl)
find_path(SWIRL_ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp DOC "Folder of oneapi/dnnl/dnnl.hpp"
    HINTS ${peers_folders} PATH_SUFFIXES include)
find_library(SWIRL_ONEDNN_LIBRARY NAMES libdnnl.so.2 dnnl DOC "oneDNN" HINTS ${peers_folders} PATH_SUFFIXES lib)
unset(peers_folders)

# Reads and writes sound files for an example.
if(PKG_CONFIG_FOUND)
    pkg_check_modules(SNDFILE IMPORTED_TARGET sndfile)
endif()
set(SWIRL_EXAMPLE_DEPENDENCIES_recording PkgConfig::SNDFILE)

# Programs of other libraries, beside which the manual shows swirl's (examples/coming_from). Each is built where its library is found.
set(SWIRL_EXAMPLE_DEPENDENCIES_fftw PkgConfig::FFTW)
set(SWIRL_EXAMPLE_DEPENDENCIES_pocketfft swirl_example_pocketfft)
if(SWIRL_POCKETFFT_INCLUDE_DIR)
    add_library(swirl_example_pocketfft ALIAS swirl_pocketfft)
endif()
find_path(SWIRL_MKL_INCLUDE_DIR mkl_dfti.h DOC "Folder of mkl_dfti.h" PATH_SUFFIXES mkl)
find_library(SWIRL_MKL_LIBRARY NAMES mkl_rt DOC "MKL")
set(SWIRL_EXAMPLE_DEPENDENCIES_mkl swirl_example_mkl)
if(SWIRL_MKL_INCLUDE_DIR AND SWIRL_MKL_LIBRARY)
    add_library(swirl_example_mkl INTERFACE)
    target_include_directories(swirl_example_mkl SYSTEM INTERFACE ${SWIRL_MKL_INCLUDE_DIR})
    target_link_libraries(swirl_example_mkl INTERFACE ${SWIRL_MKL_LIBRARY})
endif()
find_package(CUDAToolkit QUIET)
set(SWIRL_EXAMPLE_DEPENDENCIES_cufft swirl_example_cufft)
if(TARGET CUDA::cufft AND TARGET CUDA::cudart)
    add_library(swirl_example_cufft INTERFACE)
    target_link_libraries(swirl_example_cufft INTERFACE CUDA::cufft CUDA::cudart)
endif()

set(SWIRL_EXAMPLE_DEPENDENCIES_blas swirl_blas_shared)
