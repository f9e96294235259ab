# libswirl_blas: level 3 of the BLAS, to be linked or preloaded in front of any BLAS. It exports names of the BLAS alone, and does not
# need libswirl. Its names have no version, so that they also serve programs linked with a BLAS whose names have one.

set(names_of_level_3 cblas_* RowMajorStrg [sdcz]ge*_ [sdcz]sy*_ [cz]he*_ [sdcz]tr*_)
swirl_library(swirl_blas_shared NAME swirl_blas LAYERS blas EXPORTS ${names_of_level_3})

# libblas.so.3: the same with levels 1 and 2, in a folder of its own, as an alternative to the system's BLAS; see the source.
set(SWIRL_BLAS_FOLDER swirl-blas)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64)$")
    set(names_of_levels_1_and_2 ${PROJECT_SOURCE_DIR}/src/blas/alternative/names.inc)
    file(STRINGS ${names_of_levels_1_and_2} names REGEX "^SWIRL_BLAS_NAME")
    list(TRANSFORM names REPLACE "^SWIRL_BLAS_NAME\\((.*)\\)$" "\\1")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names_of_levels_1_and_2})
    swirl_library(swirl_blas_alternative NAME blas VERSION 3 SOVERSION 3 SUBFOLDER ${SWIRL_BLAS_FOLDER} LAYERS blas
        EXPORTS ${names_of_level_3} ${names} SHARED_ONLY)
    target_sources(swirl_blas_alternative PRIVATE ${PROJECT_SOURCE_DIR}/src/blas/alternative/libblas.c)
    target_link_libraries(swirl_blas_alternative PRIVATE ${CMAKE_DL_LIBS})
endif()

# As the installed package names them.
foreach(alias IN ITEMS "blas swirl_blas_shared" "blas_static swirl_blas_static" "libblas swirl_blas_alternative")
    separate_arguments(alias)
    list(GET alias 0 name)
    list(GET alias 1 target)
    if(TARGET ${target})
        add_library(swirl::${name} ALIAS ${target})
    endif()
endforeach()
