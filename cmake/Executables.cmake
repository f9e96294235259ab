# The command line, tests, benchmarks and examples. A part without its folder is skipped.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT SWIRL_BUILD_CLI AND (SWIRL_BUILD_TESTS OR SWIRL_BUILD_BENCH))
    message(FATAL_ERROR "Tests and benchmarks need the command line: SWIRL_BUILD_CLI=ON")
endif()

# peers/*.cpp: other libraries to compare with
if(SWIRL_BUILD_CLI)
    file(GLOB peer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/peers/*.cpp)
    add_library(swirl_peers STATIC ${peer_sources})
    target_include_directories(swirl_peers PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(swirl_peers PRIVATE swirl_compile_options swirl_pocketfft PUBLIC swirl_all ${CMAKE_DL_LIBS})
    swirl_precompile(swirl_peers FROM ${library_headers})
    swirl_unite(swirl_peers)
endif()

# peers/vkfft/plugin.cpp -> bin/libswirl_vkfft.so, where it can be built
if(SWIRL_HAVE_VKFFT AND SWIRL_BUILD_BENCH)
    add_library(swirl_vkfft MODULE ${PROJECT_SOURCE_DIR}/peers/vkfft/plugin.cpp)
    set_target_properties(swirl_vkfft PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
        CXX_VISIBILITY_PRESET hidden)
    target_include_directories(swirl_vkfft PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(swirl_vkfft SYSTEM PRIVATE ${SWIRL_VKFFT_INCLUDE_DIR})
    target_compile_features(swirl_vkfft PRIVATE cxx_std_20)
    target_compile_options(swirl_vkfft PRIVATE -w) # all of VkFFT is in its header
    target_link_libraries(swirl_vkfft PRIVATE CUDA::nvrtc CUDA::cudart CUDA::cuda_driver)
endif()

# peers/ducc0/plugin.cpp -> bin/libswirl_ducc0.so, where it can be built; with the compiler's options of DUCC0's own setup.py
if(SWIRL_DUCC0_INCLUDE_DIR AND SWIRL_BUILD_BENCH)
    add_library(swirl_ducc0 MODULE ${PROJECT_SOURCE_DIR}/peers/ducc0/plugin.cpp
        ${SWIRL_DUCC0_INCLUDE_DIR}/ducc0/infra/mav.cc ${SWIRL_DUCC0_INCLUDE_DIR}/ducc0/infra/string_utils.cc
        ${SWIRL_DUCC0_INCLUDE_DIR}/ducc0/infra/threading.cc)
    set_target_properties(swirl_ducc0 PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
        CXX_VISIBILITY_PRESET hidden)
    target_include_directories(swirl_ducc0 PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(swirl_ducc0 SYSTEM PRIVATE ${SWIRL_DUCC0_INCLUDE_DIR})
    target_compile_features(swirl_ducc0 PRIVATE cxx_std_20)
    target_compile_options(swirl_ducc0 PRIVATE -O3 -march=native -ffast-math -w)
    target_link_libraries(swirl_ducc0 PRIVATE pthread)
endif()

# peers/onednn/plugin.cpp -> bin/libswirl_onednn.so, where it can be built
if(SWIRL_ONEDNN_INCLUDE_DIR AND SWIRL_ONEDNN_LIBRARY AND SWIRL_BUILD_BENCH)
    add_library(swirl_onednn MODULE ${PROJECT_SOURCE_DIR}/peers/onednn/plugin.cpp)
    set_target_properties(swirl_onednn PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
        CXX_VISIBILITY_PRESET hidden)
    target_include_directories(swirl_onednn PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(swirl_onednn SYSTEM PRIVATE ${SWIRL_ONEDNN_INCLUDE_DIR})
    target_link_libraries(swirl_onednn PRIVATE swirl_compile_options ${SWIRL_ONEDNN_LIBRARY})
endif()

# What the command line and the Python package tell of a problem (cli/explain, cli/standalone.hpp): swirl_reports.
set(report_names compiled_kernel costs floors generated_cpp generated_gpu gpu gpu_products memory_need output planning products progress
    standalone svg table time_need)
list(TRANSFORM report_names REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/cli/\\1.cpp" OUTPUT_VARIABLE report_sources)
file(GLOB explain_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/explain/*.cpp)
list(FILTER explain_sources EXCLUDE REGEX "/explain/explain.cpp$") # the command
list(APPEND report_sources ${explain_sources})
if(SWIRL_BUILD_CLI OR SWIRL_BUILD_PYTHON)
    add_library(swirl_reports STATIC ${report_sources})
    target_include_directories(swirl_reports PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(swirl_reports PRIVATE swirl_compile_options PUBLIC swirl_all nlohmann_json::nlohmann_json)
    swirl_precompile(swirl_reports FROM ${library_headers})
    swirl_unite(swirl_reports)
endif()

# The rest of cli/*.cpp -> bin/swirl, but for cli/fftw_wisdom
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
list(FILTER cli_sources EXCLUDE REGEX "/cli/fftw_wisdom/")
list(REMOVE_ITEM cli_sources ${report_sources})
if(SWIRL_BUILD_CLI AND cli_sources)
    find_package(CLI11 REQUIRED)
    include(${PROJECT_SOURCE_DIR}/cmake/ReportPage.cmake)
    add_executable(swirl_cli ${cli_sources} ${SWIRL_REPORT_SOURCE})
    set_target_properties(swirl_cli PROPERTIES OUTPUT_NAME swirl)
    target_include_directories(swirl_cli PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(swirl_cli PRIVATE swirl_compile_options swirl_reports swirl_blas swirl_peers
        CLI11::CLI11 nlohmann_json::nlohmann_json)
    swirl_precompile(swirl_cli <fmt/format.h> <CLI/CLI.hpp> <nlohmann/json.hpp>)
    swirl_unite(swirl_cli)
    install(TARGETS swirl_cli COMPONENT program)

    # cli/fftw_wisdom/*.cpp -> bin/fftw-wisdom and bin/fftwf-wisdom, installed beside their libraries
    file(GLOB fftw_wisdom_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/fftw_wisdom/*.cpp)
    foreach(precision IN ITEMS "fftw fftw3" "fftwf fftw3f")
        separate_arguments(precision)
        list(GET precision 0 name)
        list(GET precision 1 library)
        set(target swirl_${name}_wisdom)
        add_executable(${target} ${fftw_wisdom_sources} ${PROJECT_SOURCE_DIR}/cli/output.cpp)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}-wisdom INSTALL_RPATH "$ORIGIN/..")
        if(name STREQUAL "fftwf")
            target_compile_definitions(${target} PRIVATE SWIRL_SINGLE_PRECISION)
        endif()
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(${target} PRIVATE swirl_compile_options swirl_base swirl_${library}_shared CLI11::CLI11
            nlohmann_json::nlohmann_json)
        swirl_unite(${target})
        install(TARGETS ${target} DESTINATION ${CMAKE_INSTALL_LIBDIR}/${SWIRL_FFTW_FOLDER}/bin COMPONENT fftw)
    endforeach()
endif()

# bench/*.cpp -> bin/bench, bench/<name>/*.cpp -> bin/bench_<name>; they share bench/support/*.cpp and the tables and files of
# the program swirl
file(GLOB bench_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/bench/*)
file(GLOB bench_support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/support/*.cpp)
set(benchmarks)
if(SWIRL_BUILD_BENCH)
    find_package(CLI11 REQUIRED)
    add_library(swirl_bench_support STATIC ${bench_support_sources}
        ${PROJECT_SOURCE_DIR}/cli/draw.cpp ${PROJECT_SOURCE_DIR}/cli/output.cpp ${PROJECT_SOURCE_DIR}/cli/problem_list.cpp
        ${PROJECT_SOURCE_DIR}/cli/problems.cpp ${PROJECT_SOURCE_DIR}/cli/run_record.cpp ${PROJECT_SOURCE_DIR}/cli/table.cpp)
    target_include_directories(swirl_bench_support PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(swirl_bench_support PRIVATE swirl_compile_options
        PUBLIC swirl_all nlohmann_json::nlohmann_json CLI11::CLI11)
    swirl_precompile(swirl_bench_support FROM ${library_headers})
    swirl_unite(swirl_bench_support)
    foreach(folder IN LISTS bench_folders ITEMS ${PROJECT_SOURCE_DIR}/bench)
        cmake_path(GET folder FILENAME name)
        file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
        if(NOT sources OR name MATCHES "^(support|mpi)$") # a program for each MPI: below
            continue()
        endif()
        if(name STREQUAL "bench")
            set(target swirl_bench)
        else()
            set(target bench_${name})
        endif()
        add_executable(${target} ${sources})
        list(APPEND benchmarks ${target})
        target_link_libraries(${target} PRIVATE swirl_compile_options swirl_bench_support swirl_peers)
        swirl_precompile(${target} FROM swirl_cli)
        swirl_unite(${target})
    endforeach()
    set_target_properties(swirl_bench PROPERTIES OUTPUT_NAME bench)
    foreach(opened swirl_ducc0 swirl_onednn swirl_vkfft swirl_blas_shared) # at run time
        if(TARGET ${opened})
            add_dependencies(swirl_bench ${opened})
        endif()
    endforeach()
endif()

# bench/mpi -> bin/bench_mpi_<name>, where FFTW was built with that MPI: Debian's with OpenMPI.
if(SWIRL_BUILD_BENCH AND "openmpi" IN_LIST SWIRL_MPIS)
    find_library(SWIRL_FFTW_MPI_LIBRARY fftw3_mpi DOC "FFTW's library for MPI, of OpenMPI; for bench_mpi_openmpi")
    find_library(SWIRL_FFTW_OF_MPI_LIBRARY fftw3 DOC "The FFTW that SWIRL_FFTW_MPI_LIBRARY needs")
    mark_as_advanced(SWIRL_FFTW_MPI_LIBRARY SWIRL_FFTW_OF_MPI_LIBRARY)
    if(SWIRL_FFTW_MPI_LIBRARY AND SWIRL_FFTW_OF_MPI_LIBRARY)
        add_executable(bench_mpi_openmpi ${PROJECT_SOURCE_DIR}/bench/mpi/main.cpp)
        target_link_libraries(bench_mpi_openmpi PRIVATE swirl_compile_options swirl_mpi_openmpi swirl_mpi_of_openmpi
            ${SWIRL_FFTW_MPI_LIBRARY} ${SWIRL_FFTW_OF_MPI_LIBRARY} CLI11::CLI11)
    endif()
endif()

# tests/<folder>/*.cpp -> test_<folder>: sees the folder of src/ of the same name and those above it; a folder
# of another name (tests/cli, tests/docs, …) sees all of them. tests/support holds headers for all tests, and drivers
# without a GPU: one library for each CUDA version that it imitates. Tests of tests/gpu need a real one.
if(SWIRL_BUILD_TESTS)
    enable_testing()
    set(SWIRL_TEST_SECONDS 300 CACHE STRING "Seconds after which ctest ends a test")
    find_package(GTest REQUIRED)
    include(GoogleTest)
    file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
        ${PROJECT_SOURCE_DIR}/tests/*.cpp ${PROJECT_SOURCE_DIR}/tests/*.c)
    list(FILTER test_sources EXCLUDE REGEX "^fuzz/parsers/") # programs of their own: FuzzParsers.cmake
    list(FILTER test_sources EXCLUDE REGEX "^(mpi|fftw_mpi|scalapack)/") # a program for each MPI, below
    list(FILTER test_sources EXCLUDE REGEX "^install/(project|fetched)/") # a project of its own, which a test builds
    set(test_folders)
    set(folders_that_run_programs cli docs)
    foreach(source IN LISTS test_sources)
        string(REGEX MATCH "^([^/]+)/" is_in_folder "${source}")
        if(is_in_folder)
            set(folder ${CMAKE_MATCH_1})
            list(APPEND test_folders ${folder})
            list(APPEND test_sources_${folder} ${PROJECT_SOURCE_DIR}/tests/${source})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES test_folders)
    list(REMOVE_ITEM test_folders support fuzz base) # fuzz is a program of its own: Fuzz.cmake
    list(PREPEND test_folders base) # with the fewest macros: its precompiled headers fit all
    add_library(swirl_test_environment OBJECT ${PROJECT_SOURCE_DIR}/tests/support/environment.cpp)
    target_link_libraries(swirl_test_environment PRIVATE swirl_compile_options)
    foreach(name accuracy data definition reference reference_dft)
        list(APPEND test_sources_cli ${PROJECT_SOURCE_DIR}/cli/${name}.cpp)
    endforeach()
    set(folders_with_fake_drivers api cli cufft distributed fuzz_judge plan runtime)
    set(fake_drivers)
    foreach(version 10020 11000 12080)
        add_library(fake_cuda_${version} MODULE
            ${PROJECT_SOURCE_DIR}/tests/support/fake_cuda.cpp ${PROJECT_SOURCE_DIR}/tests/support/fake_cuda_graphs.cpp)
        target_include_directories(fake_cuda_${version} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
        target_compile_definitions(fake_cuda_${version} PRIVATE
            SWIRL_FAKE_CUDA_VERSION=${version} SWIRL_BINARY_DIR="${PROJECT_BINARY_DIR}")
        target_link_libraries(fake_cuda_${version} PRIVATE swirl_compile_options)
        swirl_unite(fake_cuda_${version})
        set_target_properties(fake_cuda_${version} PROPERTIES
            LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake_drivers EXCLUDE_FROM_ALL ON)
        list(APPEND fake_drivers fake_cuda_${version})
    endforeach()
    foreach(library cufft cublas)
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/fake_${library}*.cpp)
        add_library(fake_${library} MODULE ${sources})
        target_include_directories(fake_${library} PRIVATE
            ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/tests)
        target_link_libraries(fake_${library} PRIVATE swirl_compile_options)
        set_target_properties(fake_${library} PROPERTIES OUTPUT_NAME ${library}_by_definition
            LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake_drivers EXCLUDE_FROM_ALL ON)
        list(APPEND fake_drivers fake_${library})
    endforeach()
    add_library(fake_nccl MODULE ${PROJECT_SOURCE_DIR}/tests/support/fake_nccl.cpp)
    target_include_directories(fake_nccl PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(fake_nccl PRIVATE swirl_compile_options)
    set_target_properties(fake_nccl PROPERTIES OUTPUT_NAME nccl_of_threads
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake_drivers EXCLUDE_FROM_ALL ON)
    list(APPEND fake_drivers fake_nccl)
    foreach(folder IN LISTS test_folders)
        if(TARGET swirl_${folder} AND folder IN_LIST SWIRL_LAYERS)
            set(tested swirl_${folder})
        else()
            set(tested swirl_all)
        endif()
        add_executable(test_${folder} ${test_sources_${folder}})
        target_include_directories(test_${folder} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
        target_compile_definitions(test_${folder} PRIVATE
            SWIRL_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SWIRL_BINARY_DIR="${PROJECT_BINARY_DIR}"
            SWIRL_CXX_COMPILER="${CMAKE_CXX_COMPILER}" SWIRL_C_COMPILER="${CMAKE_C_COMPILER}")
        target_link_libraries(test_${folder} PRIVATE swirl_compile_options ${tested} swirl_fftw_peer swirl_test_environment
            GTest::gtest_main)
        if(test_headers)
            swirl_precompile(test_${folder} FROM ${test_headers})
        else()
            set(test_headers test_${folder})
            swirl_precompile(test_${folder} <gtest/gtest.h> <random>)
        endif()
        swirl_unite(test_${folder})
        if(TARGET swirl_cli AND folder IN_LIST folders_that_run_programs)
            add_dependencies(test_${folder} swirl_cli ${benchmarks})
        endif()
        if(folder STREQUAL cli) # compares with the references of 'swirl verify'
            target_include_directories(test_cli PRIVATE ${PROJECT_SOURCE_DIR})
        endif()
        if(folder STREQUAL blas) # loads the library, which looks up the program's error handlers
            target_compile_definitions(test_blas PRIVATE SWIRL_BLAS_LIBRARY="$<TARGET_FILE:swirl_blas_shared>")
            set_target_properties(test_blas PROPERTIES ENABLE_EXPORTS ON)
            add_dependencies(test_blas swirl_blas_shared)
        endif()
        if(folder STREQUAL fftw) # loads the libraries, which have the names of those that it may be linked with
            target_compile_definitions(test_fftw PRIVATE
                SWIRL_FFTW3_LIBRARY="$<TARGET_FILE:swirl_fftw3_shared>"
                SWIRL_FFTW3F_LIBRARY="$<TARGET_FILE:swirl_fftw3f_shared>"
                SWIRL_FFTW_WISDOM="$<TARGET_FILE:swirl_fftw_wisdom>"
                SWIRL_FFTWF_WISDOM="$<TARGET_FILE:swirl_fftwf_wisdom>"
                SWIRL_FOLDER_OF_FFTW="${FFTW_fftw3_LIBDIR}")
            add_dependencies(test_fftw ${SWIRL_FFTW_LIBRARIES} swirl_fftw_wisdom swirl_fftwf_wisdom)
        endif()
        if(folder STREQUAL cufft)
            target_compile_definitions(test_cufft PRIVATE
                SWIRL_CUFFT12_LIBRARY="$<TARGET_FILE:swirl_cufft12_shared>"
                SWIRL_CUFFT11_LIBRARY="$<TARGET_FILE:swirl_cufft11_shared>")
            # NVIDIA's header declares the same functions with other types.
            set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/cufft/abi_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
            add_dependencies(test_cufft ${SWIRL_CUFFT_LIBRARIES})
        endif()
        if(folder STREQUAL gpu)
            target_compile_definitions(test_gpu PRIVATE SWIRL_CUFFT12_LIBRARY="$<TARGET_FILE:swirl_cufft12_shared>")
            add_dependencies(test_gpu swirl_cufft12_shared)
        endif()
        if(folder STREQUAL install)
            list(JOIN SWIRL_COMPONENTS_OF_LIBRARIES " " components)
            target_compile_definitions(test_install PRIVATE SWIRL_COMPONENTS_OF_LIBRARIES="${components}")
            set(adaptors ${SWIRL_MPIS})
            list(TRANSFORM adaptors PREPEND swirl_mpi_)
            foreach(mpi IN LISTS SWIRL_MPIS)
                list(APPEND adaptors swirl_fftw3_mpi_${mpi} swirl_fftw3f_mpi_${mpi} swirl_scalapack_${mpi})
            endforeach()
            foreach(library ${adaptors} swirl swirl_static swirl_blas_shared swirl_blas_static swirl_blas_alternative ${SWIRL_FFTW_LIBRARIES}
                ${SWIRL_FFTW_STATIC_LIBRARIES} ${SWIRL_CUFFT_LIBRARIES})
                if(TARGET ${library})
                    add_dependencies(test_install ${library})
                endif()
            endforeach()
        endif()
        if(folder IN_LIST folders_with_fake_drivers)
            add_dependencies(test_${folder} ${fake_drivers})
        endif()
        set(fixture)
        if(folder STREQUAL install AND NOT SWIRL_SANITIZES) # its tests share what one installs
            set(prefix ${PROJECT_BINARY_DIR}/installed)
            add_test(NAME install.library COMMAND sh -c
                "rm -rf '${prefix}' && for component in ${components}; do '${CMAKE_COMMAND}' --install '${PROJECT_BINARY_DIR}' --component $component --prefix '${prefix}' || exit; done")
            set_tests_properties(install.library PROPERTIES FIXTURES_SETUP installed LABELS install)
            set(fixture FIXTURES_REQUIRED installed ENVIRONMENT_MODIFICATION SWIRL_TEST_PREFIX=set:${prefix})
        endif()
        gtest_discover_tests(test_${folder} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${folder}."
            PROPERTIES TIMEOUT ${SWIRL_TEST_SECONDS} LABELS ${folder} ENVIRONMENT SWIRL_KERNEL_CACHE=off ${fixture})
    endforeach()
endif()

# tests/mpi -> bin/test_mpi_<name>, which ctest starts with that MPI's mpirun: as root, and with more ranks than cores. Sanitizers
# find fault with the MPIs.
if(SWIRL_BUILD_TESTS AND NOT SWIRL_SANITIZES)
    foreach(mpi IN LISTS SWIRL_MPIS)
        set(target test_mpi_${mpi})
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/mpi/*.cpp)
        add_executable(${target} ${sources})
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
        target_link_libraries(${target} PRIVATE swirl_compile_options swirl_mpi_${mpi} swirl_mpi_of_${mpi} GTest::gtest)
        add_test(NAME mpi.${mpi} COMMAND ${PROJECT_SOURCE_DIR}/scripts/check_mpi ${mpi} ${PROJECT_BINARY_DIR}/bin --trials 2)
        set_tests_properties(mpi.${mpi} PROPERTIES LABELS mpi TIMEOUT ${SWIRL_TEST_SECONDS} SKIP_RETURN_CODE 77)
    endforeach()
endif()

# tests/fftw_mpi -> bin/test_fftw_mpi_<name>: programs of FFTW's MPI interface, linked with FFTW's own libraries where they are there for
# that MPI, as Debian's are for OpenMPI. They run with swirl's where LD_LIBRARY_PATH names these.
if(SWIRL_BUILD_TESTS AND NOT SWIRL_SANITIZES)
    find_library(SWIRL_FFTW3_MPI_LIBRARY fftw3_mpi)
    find_library(SWIRL_FFTW3F_MPI_LIBRARY fftw3f_mpi)
    mark_as_advanced(SWIRL_FFTW3_MPI_LIBRARY SWIRL_FFTW3F_MPI_LIBRARY)
    foreach(mpi IN LISTS SWIRL_MPIS)
        set(target test_fftw_mpi_${mpi})
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fftw_mpi/*.cpp)
        add_executable(${target} ${sources})
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include)
        target_compile_features(${target} PRIVATE cxx_std_20)
        if(mpi STREQUAL openmpi AND SWIRL_FFTW3_MPI_LIBRARY AND SWIRL_FFTW3F_MPI_LIBRARY)
            target_link_libraries(${target} PRIVATE ${SWIRL_FFTW3_MPI_LIBRARY} ${SWIRL_FFTW3F_MPI_LIBRARY} fftw3 fftw3f)
        else()
            target_link_libraries(${target} PRIVATE swirl_fftw3_mpi_${mpi} swirl_fftw3f_mpi_${mpi} swirl_fftw3_shared swirl_fftw3f_shared)
        endif()
        target_link_libraries(${target} PRIVATE swirl_compile_options swirl_mpi_of_${mpi})
        add_dependencies(${target} ${SWIRL_FFTW_LIBRARIES} swirl_fftw3_mpi_${mpi} swirl_fftw3f_mpi_${mpi})
        add_test(NAME fftw_mpi.${mpi} COMMAND ${PROJECT_SOURCE_DIR}/scripts/check_fftw_mpi ${mpi} ${PROJECT_BINARY_DIR}/bin --runs 4)
        set_tests_properties(fftw_mpi.${mpi} PROPERTIES LABELS mpi TIMEOUT ${SWIRL_TEST_SECONDS} SKIP_RETURN_CODE 77)
    endforeach()
endif()

# tests/scalapack -> bin/test_scalapack_<name>: products by ScaLAPACK, where it is there for that MPI, and by swirl's p?gemm preloaded.
if(SWIRL_BUILD_TESTS AND NOT SWIRL_SANITIZES)
    foreach(mpi IN LISTS SWIRL_MPIS)
        find_library(SWIRL_SCALAPACK_${mpi} NAMES scalapack-${mpi})
        mark_as_advanced(SWIRL_SCALAPACK_${mpi})
        if(NOT SWIRL_SCALAPACK_${mpi})
            continue()
        endif()
        set(target test_scalapack_${mpi})
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/scalapack/*.cpp)
        add_executable(${target} ${sources})
        target_compile_features(${target} PRIVATE cxx_std_20)
        target_link_libraries(${target} PRIVATE swirl_compile_options ${SWIRL_SCALAPACK_${mpi}} swirl_mpi_of_${mpi})
        add_dependencies(${target} swirl_scalapack_${mpi})
        add_test(NAME scalapack.${mpi} COMMAND ${PROJECT_SOURCE_DIR}/scripts/check_scalapack ${mpi} ${PROJECT_BINARY_DIR}/bin --runs 4)
        set_tests_properties(scalapack.${mpi} PROPERTIES LABELS mpi TIMEOUT ${SWIRL_TEST_SECONDS} SKIP_RETURN_CODE 77)
    endforeach()
endif()

# The manual as a site: links, headings, and all exported declarations. Skipped without MkDocs and Doxygen.
if(SWIRL_BUILD_TESTS)
    add_test(NAME docs.site COMMAND ${PROJECT_SOURCE_DIR}/scripts/manual ${PROJECT_BINARY_DIR}/manual)
    set_tests_properties(docs.site PROPERTIES LABELS docs TIMEOUT ${SWIRL_TEST_SECONDS} SKIP_RETURN_CODE 77)
endif()

# examples/<name>.cpp or .c, also in a folder -> bin/example_<name>_cpp or _c, written against the installed headers only. An example
# that needs another library names it in SWIRL_EXAMPLE_DEPENDENCIES_<name> and is skipped without it.
file(GLOB_RECURSE example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp ${PROJECT_SOURCE_DIR}/examples/*.c)
if(SWIRL_BUILD_EXAMPLES AND example_sources AND TARGET swirl)
    foreach(source IN LISTS example_sources)
        cmake_path(GET source STEM name)
        cmake_path(GET source EXTENSION LAST_ONLY extension)
        string(REPLACE "." "_" suffix "${extension}")
        set(needed ${SWIRL_EXAMPLE_DEPENDENCIES_${name}})
        if(needed AND NOT TARGET ${needed})
            message(STATUS "examples/${name}${extension} is left out: ${needed} was not found")
            continue()
        endif()
        add_executable(example_${name}${suffix} ${source})
        target_link_libraries(example_${name}${suffix} PRIVATE swirl_compile_options swirl::swirl ${needed}
            $<$<PLATFORM_ID:Linux>:m>)
        if(TARGET test_docs)
            add_dependencies(test_docs example_${name}${suffix}) # which runs those shown in the documents
        endif()
    endforeach()
endif()
