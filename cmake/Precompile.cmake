# Precompiled headers of the standard library, fmt and GoogleTest: parsing them takes half the time of a build with little
# optimisation. Off by default, since it hides missing #includes: the presets `dev`, `asan` and `tsan` enable it, `release` does
# not.
#
# swirl_precompile(<target> [<header>…]): its C++ files get the common headers and these.

option(SWIRL_PRECOMPILE "Precompile common headers" OFF)

set(SWIRL_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <variant> <vector>)

function(swirl_precompile target)
    if(SWIRL_PRECOMPILE)
        set(headers ${SWIRL_COMMON_HEADERS} ${ARGN})
        list(TRANSFORM headers REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
        target_precompile_headers(${target} PRIVATE ${headers})
    endif()
endfunction()
