# The files data/wisdom/*.txt (src/search/wisdom/shipped_wisdom.hpp) become text in the library's read-only data: generated/shipped_texts.cpp
# defines shipped_texts().

file(GLOB shipped_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/wisdom/*.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shipped_files})

set(shipped_literals "")
set(shipped_count 0)
foreach(file IN LISTS shipped_files)
    file(READ ${file} text)
    string(APPEND shipped_literals "    R\"shipped(${text})shipped\",\n")
    math(EXPR shipped_count "${shipped_count} + 1")
endforeach()
set(shipped_source ${PROJECT_BINARY_DIR}/generated/shipped_texts.cpp)
file(CONFIGURE OUTPUT ${shipped_source} CONTENT [[
#include "search/wisdom/shipped_texts.hpp"

#include <array>

namespace swirl::search {
namespace {

constexpr std::array<std::string_view, @shipped_count@> texts = {
@shipped_literals@};

} // namespace

std::span<const std::string_view> shipped_texts() { return texts; }

} // namespace swirl::search
]] @ONLY)
# Compilers need not take literals as long as these, but all that build swirl do.
set_source_files_properties(${shipped_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS -Wno-overlength-strings)
target_sources(swirl_search PRIVATE ${shipped_source})
