# Headers of the standard library, of fmt and of GoogleTest read once for a target in place of once for each of its files:
# reading them is half of the time of a build without much optimisation. It is off where nobody asks for it, since it hides a
# missing #include: the presets `dev`, `asan` and `tsan` ask, `release` compiles without.
#
# swirl_precompile(<target> [<header>…]): its C++ files see the common headers and these.

option(SWIRL_PRECOMPILE "Read common headers once for a target" OFF)

set(SWIRL_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <variant> <vector>)

function(swirl_precompile target)
    if(SWIRL_PRECOMPILE)
        set(headers ${SWIRL_COMMON_HEADERS} ${ARGN})
        list(TRANSFORM headers REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
        target_precompile_headers(${target} PRIVATE ${headers})
    endif()
endfunction()
