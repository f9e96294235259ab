# tests/fuzz/*.cpp -> bin/fuzz: random problems against references in long double. FFTW's long double is linked statically, so that the
# program runs on machines without FFTW; a build without it compares small problems only, with the definition. All but main.cpp is a library,
# which tests/fuzz_judge tests.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
if(SWIRL_BUILD_TESTS AND fuzz_sources)
    find_package(CLI11 REQUIRED)
    list(REMOVE_ITEM fuzz_sources ${PROJECT_SOURCE_DIR}/tests/fuzz/main.cpp)
    add_library(swirl_fuzz_parts STATIC ${fuzz_sources} ${PROJECT_SOURCE_DIR}/cli/definition.cpp)
    target_include_directories(swirl_fuzz_parts PUBLIC ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
    target_link_libraries(swirl_fuzz_parts PRIVATE swirl_compile_options PUBLIC swirl_all)
    swirl_precompile(swirl_fuzz_parts FROM ${library_headers})
    swirl_unite(swirl_fuzz_parts)
    add_executable(swirl_fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz/main.cpp)
    set_target_properties(swirl_fuzz PROPERTIES OUTPUT_NAME fuzz)
    target_link_libraries(swirl_fuzz PRIVATE swirl_compile_options swirl_fuzz_parts CLI11::CLI11)
    swirl_precompile(swirl_fuzz FROM swirl_cli)
    target_link_libraries(test_fuzz_judge PRIVATE swirl_fuzz_parts)
    find_library(SWIRL_FFTW_LONG_DOUBLE NAMES libfftw3l.a fftw3l DOC "FFTW in long double")
    find_path(SWIRL_FFTW_INCLUDE_DIR fftw3.h DOC "Folder of fftw3.h")
    if(SWIRL_FFTW_LONG_DOUBLE AND SWIRL_FFTW_INCLUDE_DIR)
        target_include_directories(swirl_fuzz_parts SYSTEM PRIVATE ${SWIRL_FFTW_INCLUDE_DIR})
        target_link_libraries(swirl_fuzz_parts PRIVATE ${SWIRL_FFTW_LONG_DOUBLE})
        target_compile_definitions(swirl_fuzz_parts PRIVATE SWIRL_HAVE_FFTW=1)
    endif()

    # The seed changes daily: `fuzz --seed` repeats it.
    set(SWIRL_FUZZ_SECONDS 30 CACHE STRING "Seconds that the test 'fuzz' takes")
    add_test(NAME fuzz COMMAND swirl_fuzz --seconds ${SWIRL_FUZZ_SECONDS})
    set_tests_properties(fuzz PROPERTIES TIMEOUT ${SWIRL_TEST_SECONDS} LABELS fuzz
        COST ${SWIRL_FUZZ_SECONDS}) # started first: the other processors run the rest meanwhile
endif()
