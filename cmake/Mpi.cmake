# Adaptors to MPI: libswirl_mpi_<name> for each MPI that is found, from src/mpi, which needs libswirl alone. A program links that of
# the MPI which it is built with. Both of Debian's may be there, which FindMPI does not know: their wrapper compilers say
# where they are.
#
# SWIRL_MPIS: those found; for <name> of them, target swirl_mpi_<name>, program SWIRL_MPIRUN_<name>.

set(SWIRL_MPIS)
foreach(mpi IN ITEMS openmpi mpich)
    find_program(SWIRL_MPICC_${mpi} NAMES mpicc.${mpi} DOC "Wrapper compiler of ${mpi}, by which it is found")
    find_program(SWIRL_MPIRUN_${mpi} NAMES mpirun.${mpi} DOC "Program that starts ranks of ${mpi}; for tests")
    mark_as_advanced(SWIRL_MPICC_${mpi} SWIRL_MPIRUN_${mpi})
    if(NOT SWIRL_MPICC_${mpi} OR CMAKE_CROSSCOMPILING)
        continue()
    endif()
    execute_process(COMMAND ${SWIRL_MPICC_${mpi}} -show OUTPUT_VARIABLE words ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
        message(STATUS "libswirl_mpi_${mpi} is left out: '${SWIRL_MPICC_${mpi}} -show' fails")
        continue()
    endif()
    separate_arguments(words UNIX_COMMAND "${words}")
    set(folders ${words})
    list(FILTER folders INCLUDE REGEX "^-I")
    list(TRANSFORM folders REPLACE "^-I" "")
    set(linked ${words})
    list(FILTER linked INCLUDE REGEX "^-[lL]")
    list(APPEND SWIRL_MPIS ${mpi})

    add_library(swirl_mpi_of_${mpi} INTERFACE)
    target_include_directories(swirl_mpi_of_${mpi} SYSTEM INTERFACE ${folders})
    target_link_libraries(swirl_mpi_of_${mpi} INTERFACE ${linked})
    # Without the C++ interface that MPI had up to version 2, and its library.
    target_compile_definitions(swirl_mpi_of_${mpi} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.cpp)
    set(target swirl_mpi_${mpi})
    set(version_script ${PROJECT_BINARY_DIR}/${target}.map)
    file(WRITE ${version_script} "{ global: _ZN5swirl11distributed6on_mpi*; swirl_communicator_on_mpi; local: *; };\n")
    add_library(${target} SHARED ${sources})
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${SWIRL_SOVERSION}
        EXPORT_NAME mpi_${mpi} INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${version_script} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(${target} PUBLIC swirl PRIVATE swirl_compile_options swirl_mpi_of_${mpi})
    target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--version-script=${version_script})
    add_library(swirl::mpi_${mpi} ALIAS ${target})
endforeach()
