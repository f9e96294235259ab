# libfftw3 and libfftw3f: FFTW's interface, in a folder of their own, where no linker and no program finds them unless told to.
# They have FFTW's names and versions, so that programs linked with FFTW run with them. Their symbols have a version: a program
# linked with them gets them, beside FFTW itself, whose symbols have none.

set(SWIRL_FFTW_FOLDER swirl-fftw)
set(SWIRL_FFTW_VERSION 3.6.10) # of FFTW 3.3.10's libraries
set(SWIRL_FFTW_SOVERSION 3)

# fftw3 is target swirl_fftw3_shared, and so on.
set(SWIRL_FFTW_LIBRARIES)
set(SWIRL_FFTW_STATIC_LIBRARIES)
foreach(precision IN ITEMS "fftw3 fftw dfftw" "fftw3f fftwf sfftw")
    separate_arguments(precision)
    list(GET precision 0 name)
    list(GET precision 1 c_prefix)
    list(GET precision 2 fortran_prefix)
    swirl_library(swirl_${name}_shared NAME ${name} SUBFOLDER ${SWIRL_FFTW_FOLDER}
        VERSION ${SWIRL_FFTW_VERSION} SOVERSION ${SWIRL_FFTW_SOVERSION}
        SYMBOL_VERSION SWIRL_FFTW_3 LAYERS fftw EXPORTS ${c_prefix}_[a-z]* ${fortran_prefix}_[a-z]*_
        swirl_${c_prefix}_[a-z]*) # the last for libfftw3_mpi (FftwMpi.cmake)
    target_link_options(swirl_${name}_shared PRIVATE -Wl,-Bsymbolic-functions) # FFTW itself may be in the process, too
    list(APPEND SWIRL_FFTW_LIBRARIES swirl_${name}_shared)
    if(TARGET ${name}_static)
        list(APPEND SWIRL_FFTW_STATIC_LIBRARIES ${name}_static)
    endif()

    # FFTW has the functions for threads in libraries of their own, which here have nothing but the name.
    foreach(threads IN ITEMS threads omp)
        set(target swirl_${name}_${threads})
        add_library(${target} SHARED ${PROJECT_SOURCE_DIR}/cmake/empty.c)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}_${threads}
            VERSION ${SWIRL_FFTW_VERSION} SOVERSION ${SWIRL_FFTW_SOVERSION} INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON
            LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER})
        target_link_libraries(${target} PRIVATE swirl_${name}_shared)
        target_link_options(${target} PRIVATE -Wl,--no-as-needed)
        list(APPEND SWIRL_FFTW_LIBRARIES ${target})
    endforeach()
endforeach()

# The headers for Fortran 2003 have the same interface for both precisions; that to MPI has one more.
set(fortran_header_folder ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/include)
foreach(part IN ITEMS "" MPI_)
    set(suffix)
    if(part)
        set(suffix -mpi)
    endif()
    set(fortran_interface ${PROJECT_SOURCE_DIR}/include/swirl-fftw/interface${suffix}.f03.in)
    set(PREFIX fftw_)
    set(WORDS double)
    set(REAL_KIND C_DOUBLE)
    set(COMPLEX_KIND C_DOUBLE_COMPLEX)
    configure_file(${fortran_interface} ${fortran_header_folder}/double${suffix}.f03 @ONLY)
    set(PREFIX fftwf_)
    set(WORDS single)
    set(REAL_KIND C_FLOAT)
    set(COMPLEX_KIND C_FLOAT_COMPLEX)
    configure_file(${fortran_interface} ${fortran_header_folder}/single${suffix}.f03 @ONLY)
    file(READ ${fortran_header_folder}/double${suffix}.f03 DOUBLE_${part}INTERFACE)
    file(READ ${fortran_header_folder}/single${suffix}.f03 SINGLE_${part}INTERFACE)
    configure_file(${PROJECT_SOURCE_DIR}/include/swirl-fftw/fftw3${suffix}.f03.in ${fortran_header_folder}/fftw3${suffix}.f03 @ONLY)
endforeach()
