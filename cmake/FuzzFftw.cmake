# FFTW's interface under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer: tests/fuzz/fftw -> bin/fuzz_fftw. With clang
# only; `make fuzz-fftw` configures, builds and runs it. The whole library is compiled for it.

option(SWIRL_FUZZ_FFTW "Build the fuzzer of FFTW's interface (clang)" OFF)
if(NOT SWIRL_FUZZ_FFTW)
    return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SWIRL_FUZZ_FFTW needs clang: -DCMAKE_CXX_COMPILER=clang++")
endif()

file(GLOB fuzz_fftw_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fftw/*.cpp)
add_executable(fuzz_fftw EXCLUDE_FROM_ALL ${fuzz_fftw_sources} ${PROJECT_SOURCE_DIR}/tests/fuzz/guarded_memory.cpp)
target_include_directories(fuzz_fftw PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(fuzz_fftw PRIVATE swirl_compile_options swirl_fftw)
target_link_options(fuzz_fftw PRIVATE -fsanitize=fuzzer,address,undefined)
