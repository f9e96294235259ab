# libswirl_blas: level 3 of the BLAS, to be linked or preloaded in front of any BLAS. The layers that it needs are linked in and
# hidden; only BLAS names are exported.

if(NOT TARGET swirl_blas)
    return()
endif()

add_library(swirl_blas_shared SHARED $<TARGET_OBJECTS:swirl_blas> ${PROJECT_SOURCE_DIR}/cmake/asmjit_debug_output.cpp)
set_target_properties(swirl_blas_shared PROPERTIES OUTPUT_NAME swirl_blas LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(swirl_blas_shared PRIVATE swirl_search swirl_compile_options asmjit::asmjit ${CMAKE_DL_LIBS})
set(c_names ${PROJECT_SOURCE_DIR}/cmake/c_names.map)
target_link_options(swirl_blas_shared PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,--version-script=${c_names})
set_target_properties(swirl_blas_shared PROPERTIES LINK_DEPENDS ${c_names})
install(TARGETS swirl_blas_shared)
