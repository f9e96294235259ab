# The built-in codelets and micro-kernels: tools/generate_builtin derives them with the layers up to emit/ and writes C++, which
# becomes part of swirl_plan. They run on any CPU and are optimised in debug builds too.

set(builtin_folder ${PROJECT_BINARY_DIR}/generated)
set(builtin_files 6)
set(builtin_sources)
math(EXPR last "${builtin_files} - 1")
foreach(k RANGE ${last})
    list(APPEND builtin_sources ${builtin_folder}/builtin_${k}.cpp)
endforeach()

list(APPEND builtin_sources ${builtin_folder}/builtin_tiles.cpp)

add_executable(generate_builtin ${PROJECT_SOURCE_DIR}/tools/generate_builtin.cpp)
target_link_libraries(generate_builtin PRIVATE swirl_compile_options swirl_emit)

set(builtin_lists ${builtin_folder}/builtin_list.inc ${builtin_folder}/builtin_tiles.inc)
add_custom_command(OUTPUT ${builtin_sources} ${builtin_lists}
    COMMAND generate_builtin ${builtin_folder} ${builtin_files}
    DEPENDS generate_builtin
    COMMENT "Generating the built-in codelets" VERBATIM)

# Straight-line code of thousands of operations: with sanitizers it would take minutes to compile and find nothing. It includes almost
# nothing, and cannot use headers precompiled for sanitizers.
set_source_files_properties(${builtin_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-O2;-g0;-fno-sanitize=all;-Wno-shadow")
target_sources(swirl_plan PRIVATE ${builtin_sources} ${builtin_lists})
target_include_directories(swirl_plan PRIVATE ${builtin_folder})
