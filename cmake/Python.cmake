# The Python package: the extension module swirl._core, with the library linked in, beside the package's Python files. It needs
# nanobind and NumPy (python/requirements.txt) in the environment of the Python interpreter that CMake finds (Python_EXECUTABLE).

option(SWIRL_BUILD_PYTHON "Build the Python package (needs Python, NumPy and nanobind)" OFF)
if(NOT SWIRL_BUILD_PYTHON)
    return()
endif()

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module NumPy OPTIONAL_COMPONENTS Development.SABIModule)
if(SKBUILD_SABI_VERSION AND Python_VERSION VERSION_GREATER_EQUAL 3.12 AND NOT TARGET Python::SABIModule)
    message(FATAL_ERROR "A wheel of Python's stable ABI needs CMake 3.26 and Python's headers") # it would have a wrong tag
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

set(python_package ${PROJECT_BINARY_DIR}/python/swirl) # importable with PYTHONPATH=build/<preset>/python
file(GLOB module_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/module/*.cpp)
nanobind_add_module(swirl_python STABLE_ABI NB_STATIC NOMINSIZE PROTECT_STACK ${module_sources}
    ${asmjit_debug_output})
set_target_properties(swirl_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${python_package})
target_include_directories(swirl_python SYSTEM PRIVATE ${NB_DIR}/include ${Python_INCLUDE_DIRS} ${Python_NumPy_INCLUDE_DIRS})
list(GET SWIRL_LIBRARY_LAYERS -1 last_layer)
target_link_libraries(swirl_python PRIVATE swirl_${last_layer} swirl_reports swirl_compile_options)
# Alone: the file that defines NumPy's table of functions, and the one with options of its own (below).
swirl_unite(swirl_python ${PROJECT_SOURCE_DIR}/python/module/module.cpp ${PROJECT_SOURCE_DIR}/python/module/xla.cpp)
get_target_property(nanobind_library swirl_python LINK_LIBRARIES)
list(FILTER nanobind_library INCLUDE REGEX "^nanobind")
swirl_unite(${nanobind_library})
target_compile_options(swirl_python PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>) # see Layers.cmake
# XLA's headers, which jaxlib has, for swirl.jax; without them importing it says so. SWIRL_XLA_INCLUDE_DIR names another folder.
if(NOT SWIRL_XLA_INCLUDE_DIR)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import os, jaxlib; print(os.path.join(jaxlib.__path__[0], 'include'))"
        OUTPUT_VARIABLE SWIRL_XLA_INCLUDE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(EXISTS ${SWIRL_XLA_INCLUDE_DIR}/xla/ffi/api/ffi.h)
    target_include_directories(swirl_python SYSTEM PRIVATE ${SWIRL_XLA_INCLUDE_DIR})
    set_source_files_properties(${PROJECT_SOURCE_DIR}/python/module/xla.cpp PROPERTIES COMPILE_DEFINITIONS SWIRL_HAS_XLA
        COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fpermissive>) # members named like types, in C's header
endif()
# It exports one name: a process may contain libswirl, too.
set(version_script ${PROJECT_BINARY_DIR}/python.map)
file(CONFIGURE OUTPUT ${version_script} CONTENT "{ global: PyInit__core; local: *; };\n")
set_target_properties(swirl_python PROPERTIES LINK_DEPENDS ${version_script})
target_link_options(swirl_python PRIVATE -Wl,--as-needed -Wl,--version-script=${version_script})
install(TARGETS swirl_python LIBRARY DESTINATION swirl COMPONENT python)

file(GLOB_RECURSE package_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/swirl
    ${PROJECT_SOURCE_DIR}/python/swirl/*.py ${PROJECT_SOURCE_DIR}/python/swirl/*.pyi ${PROJECT_SOURCE_DIR}/python/swirl/py.typed)
foreach(file IN LISTS package_files)
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY ${python_package}/${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/swirl/${file} ${python_package}/${file} SYMBOLIC)
endforeach()

# python/tests/test_<name>.py -> test python.<name>
if(SWIRL_BUILD_TESTS)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import pytest" RESULT_VARIABLE pytest_is_missing ERROR_QUIET)
    if(pytest_is_missing)
        message(FATAL_ERROR "The tests of the Python package need pytest: scripts/python_environment installs it")
    endif()
    file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
    foreach(file IN LISTS python_tests)
        cmake_path(GET file STEM name)
        string(REPLACE "test_" "python." name ${name})
        add_test(NAME ${name} COMMAND ${Python_EXECUTABLE} -m pytest -q -rs -p no:cacheprovider ${file})
        # 5: no test was collected, as a library that all of them need is missing
        set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 5 TIMEOUT ${SWIRL_TEST_SECONDS} LABELS python
            COST 20 # a whole file each: started before tests of one case
            ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1;SWIRL_SHIPPED_WISDOM=off;SWIRL_TEST_CUDA_DRIVER=${PROJECT_BINARY_DIR}/fake_drivers/libfake_cuda_12080.so")
    endforeach()
endif()
