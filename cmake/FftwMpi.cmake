# libfftw3_mpi and libfftw3f_mpi: FFTW's interface to MPI, for each MPI that is found, in a folder of its own below that of libfftw3,
# which also has links to the libraries there: a program finds all of them where LD_LIBRARY_PATH names it. They need libfftw3,
# libswirl and its adaptor to that MPI.
#
# For <name> of SWIRL_MPIS: targets swirl_fftw3_mpi_<name> and swirl_fftw3f_mpi_<name>.

file(GLOB fftw_mpi_shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fftw_mpi/*.cpp)
list(FILTER fftw_mpi_shared EXCLUDE REGEX "/(double|single)\\.cpp$")
list(APPEND fftw_mpi_shared ${PROJECT_SOURCE_DIR}/src/mpi/shared/ranks.cpp)
foreach(mpi IN LISTS SWIRL_MPIS)
    set(folder ${PROJECT_BINARY_DIR}/${SWIRL_FFTW_FOLDER}/${mpi})
    file(MAKE_DIRECTORY ${folder})
    foreach(name IN ITEMS fftw3 fftw3f)
        set(target swirl_${name}_mpi_${mpi})
        set(source double)
        set(prefix fftw)
        if(name STREQUAL fftw3f)
            set(source single)
            set(prefix fftwf)
        endif()
        set(version_script ${PROJECT_BINARY_DIR}/${target}.map)
        file(CONFIGURE OUTPUT ${version_script} CONTENT "SWIRL_FFTW_3 { global: @prefix@_mpi_[a-z]*; local: *; };\n" @ONLY)
        add_library(${target} SHARED ${fftw_mpi_shared} ${PROJECT_SOURCE_DIR}/src/fftw_mpi/${source}.cpp)
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}_mpi
            VERSION ${SWIRL_FFTW_VERSION} SOVERSION ${SWIRL_FFTW_SOVERSION} LINK_DEPENDS ${version_script}
            INSTALL_RPATH "$ORIGIN;$ORIGIN/..;$ORIGIN/../.." BUILD_WITH_INSTALL_RPATH ON LIBRARY_OUTPUT_DIRECTORY ${folder})
        target_link_libraries(${target} PRIVATE swirl_${name}_shared swirl_mpi_${mpi} swirl swirl_compile_options swirl_mpi_of_${mpi})
        target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,-Bsymbolic-functions -Wl,--version-script=${version_script})
        foreach(part IN ITEMS "" _threads _omp)
            file(CREATE_LINK ../lib${name}${part}.so.${SWIRL_FFTW_SOVERSION} ${folder}/lib${name}${part}.so.${SWIRL_FFTW_SOVERSION}
                SYMBOLIC)
        endforeach()
    endforeach()
endforeach()
