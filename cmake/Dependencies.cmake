# Third-party libraries, and the folder of src/ that uses each. Folders not named here use none.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(asmjit CONFIG REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_path(SWIRL_XXHASH_INCLUDE_DIR xxhash.h REQUIRED DOC "Folder of xxhash.h") # compiled in; no library is linked

set(SWIRL_DEPENDENCIES_base fmt::fmt)
set(SWIRL_DEPENDENCIES_target PkgConfig::HWLOC)
set(SWIRL_DEPENDENCIES_jit asmjit::asmjit)
set(SWIRL_DEPENDENCIES_runtime Threads::Threads ${CMAKE_DL_LIBS})
set(SWIRL_DEPENDENCIES_plan nlohmann_json::nlohmann_json)
set(SWIRL_DEPENDENCIES_search SQLite::SQLite3)
set(SWIRL_DEPENDENCIES_blas ${CMAKE_DL_LIBS})

# FFTW is only a peer to compare with: tests and benchmarks link `swirl_fftw` where it is present and
# look at SWIRL_HAVE_FFTW; the library never links it.
pkg_check_modules(FFTW IMPORTED_TARGET fftw3 fftw3f fftw3l)
add_library(swirl_fftw INTERFACE)
if(FFTW_FOUND)
    target_link_libraries(swirl_fftw INTERFACE PkgConfig::FFTW)
    target_compile_definitions(swirl_fftw INTERFACE SWIRL_HAVE_FFTW=1)
endif()

# pocketfft, a single header, is another peer, if it is found; scripts/peers puts it into the peers' folder.
find_path(SWIRL_POCKETFFT_INCLUDE_DIR pocketfft_hdronly.h DOC "Folder of pocketfft_hdronly.h"
    HINTS $ENV{SWIRL_PEERS}/pocketfft $ENV{XDG_CACHE_HOME}/swirl-peers/pocketfft $ENV{HOME}/.cache/swirl-peers/pocketfft)
add_library(swirl_pocketfft INTERFACE)
if(SWIRL_POCKETFFT_INCLUDE_DIR)
    target_include_directories(swirl_pocketfft SYSTEM INTERFACE ${SWIRL_POCKETFFT_INCLUDE_DIR})
    target_compile_definitions(swirl_pocketfft INTERFACE SWIRL_HAVE_POCKETFFT=1)
endif()

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
pkg_check_modules(SNDFILE IMPORTED_TARGET sndfile)
set(SWIRL_EXAMPLE_DEPENDENCIES_recording PkgConfig::SNDFILE)
