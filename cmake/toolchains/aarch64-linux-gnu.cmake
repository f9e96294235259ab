# Cross-compiles for AArch64 on Debian: the compiler g++-aarch64-linux-gnu, headers and libraries of the root that
# scripts/aarch64_root fills, and qemu-user for what the build runs and for tests. The preset `aarch64` uses it.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triplet aarch64-linux-gnu)

if(NOT SWIRL_AARCH64_ROOT)
    set(SWIRL_AARCH64_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root)
endif()
cmake_path(ABSOLUTE_PATH SWIRL_AARCH64_ROOT NORMALIZE)
set(SWIRL_AARCH64_ROOT ${SWIRL_AARCH64_ROOT} CACHE PATH "Root of an AArch64 system with the packages that swirl needs")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SWIRL_AARCH64_ROOT)
if(NOT EXISTS ${SWIRL_AARCH64_ROOT}/usr/lib/${triplet})
    message(FATAL_ERROR "${SWIRL_AARCH64_ROOT} is no root of an AArch64 system; fill it with scripts/aarch64_root")
endif()

set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(SWIRL_GNU_LINKER ${triplet}-ld CACHE STRING "Merges the objects of a static library into one")
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_SYSROOT ${SWIRL_AARCH64_ROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${SWIRL_AARCH64_ROOT})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${SWIRL_AARCH64_ROOT}/usr/lib/${triplet}/pkgconfig:${SWIRL_AARCH64_ROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SWIRL_AARCH64_ROOT})
