# `cmake --install build/release --prefix …` installs these components, which `make packages` makes Debian packages of:
#   library      libswirl
#   blas         libswirl_blas, and libblas.so.3 in a folder of its own
#   fftw         FFTW's interface: libraries, headers and pkg-config files in folders of their own
#   mpi_<name>   libswirl_mpi_<name>, for each MPI that was found, its target of the CMake package, and libswirl_scalapack_<name>
#   fftw_mpi_<name>  FFTW's interface to that MPI: libraries and pkg-config files in a folder of their own
#   cufft        cuFFT's interface: libraries in a folder of their own
#   development  headers, static libraries, the CMake package swirl, pkg-config files swirl and swirl_blas
#   program      the command line

include(CMakePackageConfigHelpers)

set(SWIRL_COMPONENTS_OF_LIBRARIES library blas fftw cufft development)
foreach(mpi IN LISTS SWIRL_MPIS)
    list(APPEND SWIRL_COMPONENTS_OF_LIBRARIES mpi_${mpi} fftw_mpi_${mpi})
endforeach()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/swirl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/swirl)
set_target_properties(swirl PROPERTIES EXPORT_NAME swirl)
set_target_properties(swirl_blas_shared PROPERTIES EXPORT_NAME blas)
install(TARGETS swirl EXPORT swirl-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS swirl_blas_shared EXPORT swirl-targets LIBRARY COMPONENT blas NAMELINK_COMPONENT development)
if(TARGET swirl_blas_alternative)
    set_target_properties(swirl_blas_alternative PROPERTIES EXPORT_NAME libblas)
    install(TARGETS swirl_blas_alternative EXPORT swirl-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${SWIRL_BLAS_FOLDER}
        COMPONENT blas NAMELINK_COMPONENT development)
endif()
if(TARGET swirl_static)
    set_target_properties(swirl_blas_static PROPERTIES EXPORT_NAME blas_static)
    install(TARGETS swirl_static swirl_blas_static EXPORT swirl-targets)
endif()
install(EXPORT swirl-targets NAMESPACE swirl:: DESTINATION ${package_dir})

# Each apart from the others, so that the package without it is whole.
foreach(mpi IN LISTS SWIRL_MPIS)
    install(TARGETS swirl_mpi_${mpi} EXPORT swirl-mpi-${mpi}-targets LIBRARY COMPONENT mpi_${mpi})
    install(TARGETS swirl_scalapack_${mpi} LIBRARY COMPONENT mpi_${mpi} NAMELINK_SKIP)
    install(EXPORT swirl-mpi-${mpi}-targets NAMESPACE swirl:: DESTINATION ${package_dir} COMPONENT mpi_${mpi})
endforeach()

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

if(TARGET swirl_blas_alternative)
    set(SWIRL_BLAS_LIBDIR ${CMAKE_INSTALL_LIBDIR}/${SWIRL_BLAS_FOLDER})
    cmake_path(SET pc_dir NORMALIZE "/prefix/${SWIRL_BLAS_LIBDIR}/pkgconfig")
    file(RELATIVE_PATH SWIRL_PC_TO_PREFIX "${pc_dir}" /prefix)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/blas.pc.in ${PROJECT_BINARY_DIR}/${SWIRL_BLAS_FOLDER}/blas.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${SWIRL_BLAS_FOLDER}/blas.pc DESTINATION ${SWIRL_BLAS_LIBDIR}/pkgconfig)
endif()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME fftw)
set(SWIRL_FFTW_LIBDIR ${CMAKE_INSTALL_LIBDIR}/${SWIRL_FFTW_FOLDER})
set(SWIRL_FFTW_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/${SWIRL_FFTW_FOLDER})
install(TARGETS ${SWIRL_FFTW_LIBRARIES} ${SWIRL_FFTW_STATIC_LIBRARIES}
    LIBRARY DESTINATION ${SWIRL_FFTW_LIBDIR} ARCHIVE DESTINATION ${SWIRL_FFTW_LIBDIR})
install(TARGETS ${SWIRL_CUFFT_LIBRARIES} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${SWIRL_CUFFT_FOLDER} COMPONENT cufft)
install(FILES ${PROJECT_SOURCE_DIR}/include/swirl-fftw/fftw3.h ${PROJECT_SOURCE_DIR}/include/swirl-fftw/fftw3.f
    ${PROJECT_SOURCE_DIR}/include/swirl-fftw/fftw3-mpi.h ${fortran_header_folder}/fftw3.f03 ${fortran_header_folder}/fftw3-mpi.f03
    DESTINATION ${SWIRL_FFTW_INCLUDEDIR})
cmake_path(SET pc_dir NORMALIZE "/prefix/${SWIRL_FFTW_LIBDIR}/pkgconfig")
file(RELATIVE_PATH SWIRL_PC_TO_PREFIX "${pc_dir}" /prefix)
foreach(SWIRL_PC_NAME fftw3 fftw3f)
    set(SWIRL_PC_DESCRIPTION "FFTW's interface by swirl")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/fftw.pc.in ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${SWIRL_PC_NAME}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${SWIRL_PC_NAME}.pc
        DESTINATION ${SWIRL_FFTW_LIBDIR}/pkgconfig)
endforeach()

# Beside links to the libraries for one process, which programs need, too.
foreach(mpi IN LISTS SWIRL_MPIS)
    set(component fftw_mpi_${mpi})
    set(libdir ${SWIRL_FFTW_LIBDIR}/${mpi})
    install(TARGETS swirl_fftw3_mpi_${mpi} swirl_fftw3f_mpi_${mpi} LIBRARY DESTINATION ${libdir} COMPONENT ${component})
    cmake_path(SET pc_dir NORMALIZE "/prefix/${libdir}/pkgconfig")
    file(RELATIVE_PATH SWIRL_PC_TO_PREFIX "${pc_dir}" /prefix)
    foreach(SWIRL_FFTW_PC_BASE fftw3 fftw3f)
        set(SWIRL_PC_NAME ${SWIRL_FFTW_PC_BASE}_mpi)
        set(SWIRL_PC_DESCRIPTION "FFTW's interface to MPI (${mpi}) by swirl")
        set(SWIRL_FFTW_MPI_LIBDIR ${libdir})
        configure_file(${PROJECT_SOURCE_DIR}/cmake/fftw_mpi.pc.in
            ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${mpi}/${SWIRL_PC_NAME}.pc @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${mpi}/${SWIRL_PC_NAME}.pc DESTINATION ${libdir}/pkgconfig
            COMPONENT ${component})
        foreach(part IN ITEMS "" _threads _omp)
            install(FILES ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${mpi}/lib${SWIRL_FFTW_PC_BASE}${part}.so.${SWIRL_FFTW_SOVERSION}
                DESTINATION ${libdir} COMPONENT ${component})
        endforeach()
    endforeach()
endforeach()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME Unspecified)
