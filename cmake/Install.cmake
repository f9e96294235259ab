# `cmake --install build/release --prefix …`: headers, library, CMake package swirl::swirl, pkg-config file.

include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/swirl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT TARGET swirl)
    return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/swirl)
install(TARGETS swirl EXPORT swirl-targets)
install(EXPORT swirl-targets NAMESPACE swirl:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/swirl-config.cmake.in
    ${PROJECT_BINARY_DIR}/swirl-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/swirl-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/swirl-config.cmake ${PROJECT_BINARY_DIR}/swirl-config-version.cmake
    DESTINATION ${package_dir})

if(BUILD_SHARED_LIBS)
    set(SWIRL_PC_LIBS_PRIVATE "")
else()
    # Listed one by one: hwloc's own private libraries are only needed when everything is static.
    set(SWIRL_PC_LIBS_PRIVATE "-lasmjit -lfmt -lsqlite3 -lhwloc -lstdc++ -pthread -lrt -ldl -lm")
endif()
# The .pc file computes the prefix from its own path, so an installation can be moved.
cmake_path(SET pc_dir NORMALIZE "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH SWIRL_PC_TO_PREFIX "${pc_dir}" /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/swirl.pc.in ${PROJECT_BINARY_DIR}/swirl.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/swirl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
