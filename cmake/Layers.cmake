# One library per folder of src/, in the order of src/LAYERS; each sees the folders above it and no other.
# A header-only folder becomes an INTERFACE library; a missing folder is skipped.
#
# Results: SWIRL_LAYERS (existing folders), target swirl_<folder> for each, SWIRL_LIBRARY_LAYERS (those of libswirl),
# target swirl_all for all of these.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/LAYERS)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/LAYERS layer_order REGEX "^[a-z]")

set(SWIRL_LAYERS)
foreach(layer IN LISTS layer_order)
    if(layer MATCHES "^(mpi|fftw_mpi|scalapack)$")
        continue() # compiled once for each MPI: Mpi.cmake, FftwMpi.cmake, Scalapack.cmake
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.hpp)
    if(NOT sources AND NOT headers)
        continue()
    endif()

    set(above ${SWIRL_LAYERS})
    list(TRANSFORM above PREPEND swirl_)
    if(sources)
        add_library(swirl_${layer} STATIC ${sources} ${headers})
        target_link_libraries(swirl_${layer} PRIVATE swirl_compile_options)
        if(NOT library_headers)
            set(library_headers swirl_${layer})
            swirl_precompile(swirl_${layer} <fmt/format.h>)
        else()
            swirl_precompile(swirl_${layer} FROM ${library_headers})
        endif()
        # Alone: interfaces in macros that are not undefined, and the variable of the BLAS that a program finds by name, which must not
        # come with other code of its folder.
        set(interfaces ${PROJECT_SOURCE_DIR}/src/blas/cblas.cpp ${PROJECT_SOURCE_DIR}/src/blas/fortran.cpp
            ${PROJECT_SOURCE_DIR}/src/blas/report.cpp
            ${PROJECT_SOURCE_DIR}/src/fftw/double.cpp ${PROJECT_SOURCE_DIR}/src/fftw/single.cpp)
        swirl_unite(swirl_${layer} ${interfaces})
        # The call of a small kernel takes some nanoseconds. Pairs of arguments loaded as one vector would wait for the two
        # stores that have just written them.
        if(layer MATCHES "^(plan|api|blas|fftw|cufft)$")
            target_compile_options(swirl_${layer} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
        endif()
        set(scope PUBLIC)
    else()
        add_library(swirl_${layer} INTERFACE ${headers})
        set(scope INTERFACE)
    endif()
    target_include_directories(swirl_${layer} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_compile_features(swirl_${layer} ${scope} cxx_std_20)
    target_link_libraries(swirl_${layer} ${scope} ${above} ${SWIRL_DEPENDENCIES_${layer}})
    list(APPEND SWIRL_LAYERS ${layer})
endforeach()

# Separate libraries (Blas.cmake, Fftw.cmake, Cufft.cmake), whose names libswirl does not export.
set(SWIRL_LAYERS_APART blas fftw cufft)
set(SWIRL_LIBRARY_LAYERS ${SWIRL_LAYERS})
list(REMOVE_ITEM SWIRL_LIBRARY_LAYERS ${SWIRL_LAYERS_APART})

add_library(swirl_all INTERFACE)
foreach(layer IN LISTS SWIRL_LIBRARY_LAYERS)
    target_link_libraries(swirl_all INTERFACE swirl_${layer})
endforeach()
