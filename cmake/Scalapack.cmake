# libswirl_scalapack_<name>: p?gemm of the PBLAS for each MPI that is found, to be preloaded to a program with ScaLAPACK, from which it
# takes the BLACS.

file(GLOB scalapack_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/scalapack/*.cpp)
foreach(mpi IN LISTS SWIRL_MPIS)
    set(target swirl_scalapack_${mpi})
    set(version_script ${PROJECT_BINARY_DIR}/${target}.map)
    file(CONFIGURE OUTPUT ${version_script} CONTENT "{ global: p[sdcz]gemm_; local: *; };\n")
    add_library(${target} SHARED ${scalapack_sources} ${PROJECT_SOURCE_DIR}/src/mpi/shared/ranks.cpp)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${SWIRL_SOVERSION} INSTALL_RPATH "$ORIGIN"
        LINK_DEPENDS ${version_script} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(${target} PRIVATE swirl_mpi_${mpi} swirl swirl_compile_options swirl_mpi_of_${mpi} ${CMAKE_DL_LIBS})
    target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--version-script=${version_script})
endforeach()
