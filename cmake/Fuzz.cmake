# tests/fuzz/*.cpp -> bin/fuzz: random problems against references in long double. FFTW's long double is linked statically, so that the
# program runs where there is no FFTW; without it the definition judges small problems only.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
if(SWIRL_BUILD_TESTS AND fuzz_sources)
    find_package(CLI11 REQUIRED)
    add_executable(swirl_fuzz ${fuzz_sources} ${PROJECT_SOURCE_DIR}/cli/definition.cpp)
    set_target_properties(swirl_fuzz PROPERTIES OUTPUT_NAME fuzz)
    target_include_directories(swirl_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
    target_link_libraries(swirl_fuzz PRIVATE swirl_compile_options swirl_all fmt::fmt CLI11::CLI11)
    find_library(SWIRL_FFTW_LONG_DOUBLE NAMES libfftw3l.a fftw3l DOC "FFTW in long double")
    find_path(SWIRL_FFTW_INCLUDE_DIR fftw3.h DOC "Folder of fftw3.h")
    if(SWIRL_FFTW_LONG_DOUBLE AND SWIRL_FFTW_INCLUDE_DIR)
        target_include_directories(swirl_fuzz SYSTEM PRIVATE ${SWIRL_FFTW_INCLUDE_DIR})
        target_link_libraries(swirl_fuzz PRIVATE ${SWIRL_FFTW_LONG_DOUBLE})
        target_compile_definitions(swirl_fuzz PRIVATE SWIRL_HAVE_FFTW=1)
    endif()
    swirl_precompile(swirl_fuzz <fmt/format.h>)

    # A seed of the day: `fuzz --seed` repeats it.
    set(SWIRL_FUZZ_SECONDS 30 CACHE STRING "Seconds that the test 'fuzz' takes")
    add_test(NAME fuzz COMMAND swirl_fuzz --seconds ${SWIRL_FUZZ_SECONDS})
    set_tests_properties(fuzz PROPERTIES TIMEOUT ${SWIRL_TEST_SECONDS} LABELS fuzz)
endif()
