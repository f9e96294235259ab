# `make packages`: Debian packages, one of each component that is installed, and a tar file with all of them. The component
# `development` is libswirl-dev; programs that are linked with the libraries need the others alone.

set(components library blas fftw cufft development program)
foreach(mpi IN LISTS SWIRL_MPIS)
    list(APPEND components mpi_${mpi} fftw_mpi_${mpi})
    string(TOUPPER ${mpi} upper)
    set(CPACK_DEBIAN_MPI_${upper}_PACKAGE_NAME libswirl-mpi-${mpi}${SWIRL_SOVERSION})
    set(CPACK_DEBIAN_MPI_${upper}_PACKAGE_DEPENDS "libswirl${SWIRL_SOVERSION} (= ${PROJECT_VERSION})")
    set(CPACK_COMPONENT_MPI_${upper}_DESCRIPTION "FFT and matrix multiplication: ranks of ${mpi}
 Distributed transforms and matrix products on communicators of MPI.")
    set(CPACK_DEBIAN_FFTW_MPI_${upper}_PACKAGE_NAME libswirl-fftw-mpi-${mpi})
    set(CPACK_DEBIAN_FFTW_MPI_${upper}_PACKAGE_DEPENDS
        "libswirl-fftw (= ${PROJECT_VERSION}), libswirl-mpi-${mpi}${SWIRL_SOVERSION} (= ${PROJECT_VERSION})")
    set(CPACK_COMPONENT_FFTW_MPI_${upper}_DESCRIPTION "FFTW's interface to MPI: libfftw3_mpi and libfftw3f_mpi for ${mpi}
 Programs linked with FFTW run with these libraries where LD_LIBRARY_PATH names their folder.")
endforeach()
if(NOT SWIRL_BUILD_CLI)
    list(REMOVE_ITEM components program)
endif()

# Manual pages, of the program's help, and what shells complete its words with. They need a program that runs here, and help2man.
find_program(SWIRL_HELP2MAN help2man)
mark_as_advanced(SWIRL_HELP2MAN)
if(SWIRL_BUILD_CLI AND SWIRL_HELP2MAN AND NOT CMAKE_CROSSCOMPILING)
    set(pages ${PROJECT_BINARY_DIR}/packaging/pages)
    add_custom_command(OUTPUT ${pages}
        COMMAND ${PROJECT_SOURCE_DIR}/packaging/make_pages $<TARGET_FILE:swirl_cli> ${SWIRL_HELP2MAN} ${PROJECT_VERSION} ${pages}
        DEPENDS swirl_cli ${PROJECT_SOURCE_DIR}/packaging/make_pages
        COMMENT "Making manual pages" VERBATIM)
    add_custom_target(swirl_pages DEPENDS ${pages}) # the preset `packages` builds it
    install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program OPTIONAL)
endif()

set(CPACK_PACKAGE_NAME swirl)
set(CPACK_PACKAGE_VENDOR "The swirl authors")
set(CPACK_PACKAGE_CONTACT "The swirl authors <swirl@users.noreply.github.com>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libswirl and its libfftw3, which the libraries for MPI need
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libswirl${SWIRL_SOVERSION})
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "FFT and matrix multiplication: the shared library
 Transforms of the Fourier family and matrix multiplication on CPUs and NVIDIA GPUs, by kernels that are generated for each size.")

set(CPACK_DEBIAN_BLAS_PACKAGE_NAME libswirl-blas${SWIRL_SOVERSION})
set(CPACK_DEBIAN_BLAS_PACKAGE_PROVIDES "libblas.so.3")
set(CPACK_DEBIAN_BLAS_PACKAGE_RECOMMENDS "libblas3 | libopenblas0")
set(CPACK_DEBIAN_BLAS_PACKAGE_CONTROL_EXTRA
    "${PROJECT_BINARY_DIR}/packaging/blas/postinst;${PROJECT_BINARY_DIR}/packaging/blas/prerm")
set(CPACK_COMPONENT_BLAS_DESCRIPTION "BLAS: the shared libraries
 Level 3 of the BLAS, and an alternative for libblas.so.3, which passes levels 1 and 2 on to another BLAS of the system.")

set(CPACK_DEBIAN_FFTW_PACKAGE_NAME libswirl-fftw)
set(CPACK_COMPONENT_FFTW_DESCRIPTION "FFTW's interface: libfftw3 and libfftw3f in a folder of their own
 Programs linked with FFTW run with these libraries where LD_LIBRARY_PATH names their folder.")

set(CPACK_DEBIAN_CUFFT_PACKAGE_NAME libswirl-cufft)
set(CPACK_COMPONENT_CUFFT_DESCRIPTION "cuFFT's interface: libcufft in a folder of its own
 Programs linked with cuFFT run with these libraries where LD_LIBRARY_PATH names their folder.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libswirl-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(exactly "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libswirl${SWIRL_SOVERSION} ${exactly}, libswirl-blas${SWIRL_SOVERSION} ${exactly}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "FFT and matrix multiplication: headers and static libraries
 Headers for C and C++, static libraries, the CMake package swirl and pkg-config files.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME swirl)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "FFT and matrix multiplication: the command line
 Plans, explains, tunes, times and verifies transforms and matrix products.")

# The libraries' folder among the alternatives of update-alternatives, as Debian's BLAS packages have it.
set(SWIRL_ALTERNATIVE_FOLDER ${CPACK_PACKAGING_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
foreach(script postinst prerm)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/blas.${script}.in ${PROJECT_BINARY_DIR}/packaging/blas/${script}
        @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()

include(CPack)
