# Language level, warnings and output folders. The library is built for the compiler's default target and with strict
# floating point: machine-specific code is generated at run time.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

string(FIND "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}" "-fsanitize=" SWIRL_SANITIZES)
math(EXPR SWIRL_SANITIZES "${SWIRL_SANITIZES} + 1") # 0 where it is not there

# Every target of this project links this (PRIVATE); it adds nothing for users of the installed library.
add_library(swirl_compile_options INTERFACE)
target_compile_options(swirl_compile_options INTERFACE
    -Wall -Wextra -Wpedantic -ffp-contract=off
    # Where files are compiled together, one's locals may hide names of those before it.
    $<IF:$<BOOL:${SWIRL_UNITE}>,$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>,-Wshadow>
    # Unique symbols stay global in the static library, and keep a shared one from being unloaded.
    $<$<CXX_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>>
    # g++ collects garbage from 600 MB on: a tenth less time for units of many files.
    $<$<CXX_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=600000>>
    # g++ 12 sees overlaps that cannot be in inlined std::string operations at -O3 (GCC bug 105651), and uninitialized
    # members in moved std::variant at -O2 and in std::regex (GCC bug 105562).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
    # g++ 13 and 14 see overflows where a vector is inserted into a vector, and where short strings are concatenated.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow;-Wno-array-bounds>
    # With sanitizers it sees copies past the end of a moved std::string (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${SWIRL_SANITIZES}>>:-Wno-array-bounds>
    # valgrind 3.19, which a test runs the programs with, does not read what clang writes of DWARF 5.
    $<$<CXX_COMPILER_ID:Clang>:-fdebug-default-version=4>
    $<$<BOOL:${SWIRL_WERROR}>:-Werror>)
