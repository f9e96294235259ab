# Two ways to parse and compile shared code once instead of in every file. The presets enable both; a configuration without presets has
# neither. Uniting files hides missing #includes of the standard library: scripts/check_includes finds these.
#
# swirl_precompile(<target> [<header>…])        its C++ files get the headers of the standard library below and these, precompiled
# swirl_precompile(<target> FROM <other>)       the precompiled headers of another target of the same kind (library or program)
# swirl_unite(<target> [<file>…])               its files are compiled several at a time, but for these

option(SWIRL_PRECOMPILE "Precompile common headers" OFF)
option(SWIRL_UNITE "Compile several files at a time" OFF)

set(SWIRL_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <variant> <vector>)

function(swirl_precompile target)
    if(NOT SWIRL_PRECOMPILE)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "" FROM "")
    if(arg_FROM)
        target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
        return()
    endif()
    set(headers ${SWIRL_COMMON_HEADERS} ${arg_UNPARSED_ARGUMENTS})
    list(TRANSFORM headers REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# More files a unit parse their headers fewer times, which is most of what precompiled headers save. A change of one file compiles
# the others of its unit, too.
function(swirl_unite target)
    if(SWIRL_UNITE)
        set(files_a_unit 32)
        if(SWIRL_PRECOMPILE)
            set(files_a_unit 16)
        endif()
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_a_unit})
        set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
endfunction()
