# Builds a package by its port for vcpkg, without vcpkg: this file is a stand-in for the functions that the port calls.
#
#   cmake -DPREFIX=FOLDER -DFEATURES=core,tools -P vcpkg_build.cmake
#
# An unknown function ends it with an error, and so does a file that the port does not find.

cmake_minimum_required(VERSION 3.25)
set(PORT swirl)
set(CURRENT_PACKAGES_DIR ${PREFIX})
string(REPLACE "," ";" FEATURES "${FEATURES}")
get_filename_component(port ${CMAKE_CURRENT_LIST_DIR}/../../packaging/vcpkg/${PORT} ABSOLUTE)

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_check_features)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
    file(READ ${port}/vcpkg.json manifest)
    set(options)
    while(arg_FEATURES)
        list(POP_FRONT arg_FEATURES feature option)
        string(JSON described GET "${manifest}" features ${feature} description) # an error if it is not there
        set(value OFF)
        if(feature IN_LIST FEATURES)
            set(value ON)
        endif()
        list(APPEND options -D${option}=${value})
    endwhile()
    set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    run(cmake -S ${arg_SOURCE_PATH} -B ${arg_SOURCE_PATH}/build-vcpkg -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${PREFIX}
        -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
    run(cmake --build ${SOURCE_PATH}/build-vcpkg)
    run(cmake --install ${SOURCE_PATH}/build-vcpkg)
endfunction()

# vcpkg moves the package to share/ and corrects its prefix.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    if(NOT EXISTS ${PREFIX}/${arg_CONFIG_PATH}/${PORT}-config.cmake)
        message(FATAL_ERROR "no ${PORT}-config.cmake in ${arg_CONFIG_PATH}")
    endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS ${PREFIX}/lib/pkgconfig/${PORT}.pc)
        message(FATAL_ERROR "no ${PORT}.pc")
    endif()
endfunction()

function(vcpkg_copy_tools)
    cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
    file(MAKE_DIRECTORY ${PREFIX}/tools/${PORT})
    foreach(tool IN LISTS arg_TOOL_NAMES)
        file(RENAME ${PREFIX}/bin/${tool} ${PREFIX}/tools/${PORT}/${tool})
    endforeach()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    file(INSTALL ${arg_FILE_LIST} DESTINATION ${PREFIX}/share/${PORT})
endfunction()

include(${port}/portfile.cmake)
