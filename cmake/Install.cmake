# `cmake --install build/release --prefix …`, of which the component `library` is: headers; libswirl and libswirl_blas, shared and static; the CMake package swirl; pkg-config
# files swirl and swirl_blas. FFTW's interface, its libraries, headers and pkg-config files, is in folders of its own; so is cuFFT's,
# which is libraries alone.

include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/swirl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/swirl)
set_target_properties(swirl PROPERTIES EXPORT_NAME swirl)
set_target_properties(swirl_blas_shared PROPERTIES EXPORT_NAME blas)
set(installed swirl swirl_blas_shared)
if(TARGET swirl_static)
    set_target_properties(swirl_blas_static PROPERTIES EXPORT_NAME blas_static)
    list(APPEND installed swirl_static swirl_blas_static)
endif()
install(TARGETS ${installed} EXPORT swirl-targets)
install(EXPORT swirl-targets NAMESPACE swirl:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/swirl-config.cmake.in
    ${PROJECT_BINARY_DIR}/swirl-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/swirl-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/swirl-config.cmake ${PROJECT_BINARY_DIR}/swirl-config-version.cmake
    DESTINATION ${package_dir})

list(TRANSFORM SWIRL_STATIC_NEEDS PREPEND "-l" OUTPUT_VARIABLE SWIRL_PC_LIBS_PRIVATE)
list(JOIN SWIRL_PC_LIBS_PRIVATE " " SWIRL_PC_LIBS_PRIVATE)
# The .pc file computes the prefix from its own path, so an installation can be moved.
cmake_path(SET pc_dir NORMALIZE "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH SWIRL_PC_TO_PREFIX "${pc_dir}" /prefix)
foreach(SWIRL_PC_NAME swirl swirl_blas)
    set(SWIRL_PC_DESCRIPTION "${PROJECT_DESCRIPTION}")
    if(SWIRL_PC_NAME STREQUAL "swirl_blas")
        set(SWIRL_PC_DESCRIPTION "Level 3 of the BLAS by swirl")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/swirl.pc.in ${PROJECT_BINARY_DIR}/${SWIRL_PC_NAME}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${SWIRL_PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(SWIRL_FFTW_LIBDIR ${CMAKE_INSTALL_LIBDIR}/${SWIRL_FFTW_FOLDER})
set(SWIRL_FFTW_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/${SWIRL_FFTW_FOLDER})
install(TARGETS ${SWIRL_FFTW_LIBRARIES} ${SWIRL_FFTW_STATIC_LIBRARIES}
    LIBRARY DESTINATION ${SWIRL_FFTW_LIBDIR} ARCHIVE DESTINATION ${SWIRL_FFTW_LIBDIR})
install(TARGETS ${SWIRL_CUFFT_LIBRARIES} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${SWIRL_CUFFT_FOLDER})
install(FILES ${PROJECT_SOURCE_DIR}/include/swirl-fftw/fftw3.h ${PROJECT_SOURCE_DIR}/include/swirl-fftw/fftw3.f
    ${fortran_header_folder}/fftw3.f03 DESTINATION ${SWIRL_FFTW_INCLUDEDIR})
cmake_path(SET pc_dir NORMALIZE "/prefix/${SWIRL_FFTW_LIBDIR}/pkgconfig")
file(RELATIVE_PATH SWIRL_PC_TO_PREFIX "${pc_dir}" /prefix)
foreach(SWIRL_PC_NAME fftw3 fftw3f)
    set(SWIRL_PC_DESCRIPTION "FFTW's interface by swirl")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/fftw.pc.in ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${SWIRL_PC_NAME}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${SWIRL_PC_NAME}.pc
        DESTINATION ${SWIRL_FFTW_LIBDIR}/pkgconfig)
endforeach()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME Unspecified)
