# Parsers under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer: tests/fuzz/parsers/<parser>.cpp ->
# bin/fuzz_parser_<parser>. With clang only; `make fuzz-parsers` configures, builds and runs them. They compile only the few files
# that they need, so a build takes a minute.

option(SWIRL_FUZZ_PARSERS "Build the fuzzers of the parsers (clang)" OFF)
if(NOT SWIRL_FUZZ_PARSERS)
    return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SWIRL_FUZZ_PARSERS needs clang: -DCMAKE_CXX_COMPILER=clang++")
endif()

set(fuzz_flags -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
file(GLOB parser_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/problem/*.cpp ${PROJECT_SOURCE_DIR}/src/formula/*.cpp)
add_library(swirl_fuzzed_parsers STATIC EXCLUDE_FROM_ALL ${parser_sources}
    ${PROJECT_SOURCE_DIR}/src/base/format.cpp ${PROJECT_SOURCE_DIR}/src/rules/tree_text.cpp ${PROJECT_SOURCE_DIR}/src/plan/transform/schedule.cpp
    ${PROJECT_SOURCE_DIR}/src/gemm/schedule_text.cpp ${PROJECT_SOURCE_DIR}/src/gemm/gpu_schedule_text.cpp
    ${PROJECT_SOURCE_DIR}/src/gemm/gpu_order.cpp)
target_include_directories(swirl_fuzzed_parsers PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/tests)
target_compile_options(swirl_fuzzed_parsers PUBLIC ${fuzz_flags} PRIVATE -ffp-contract=off)
target_link_libraries(swirl_fuzzed_parsers PUBLIC swirl_fmt)

add_custom_target(fuzz_parsers)
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/parsers/*.cpp)
foreach(source IN LISTS fuzzers)
    cmake_path(GET source STEM name)
    add_executable(fuzz_parser_${name} EXCLUDE_FROM_ALL ${source})
    set_target_properties(fuzz_parser_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    target_link_libraries(fuzz_parser_${name} PRIVATE swirl_fuzzed_parsers)
    target_link_options(fuzz_parser_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    add_dependencies(fuzz_parsers fuzz_parser_${name})
endforeach()
