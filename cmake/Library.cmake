# libswirl: the objects of all folders except the separate ones in one library, shared or static (BUILD_SHARED_LIBS).

set(layer_objects)
set(SWIRL_LIBRARY_DEPENDENCIES)
foreach(layer IN LISTS SWIRL_LIBRARY_LAYERS)
    get_target_property(type swirl_${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND layer_objects $<TARGET_OBJECTS:swirl_${layer}>)
    endif()
    list(APPEND SWIRL_LIBRARY_DEPENDENCIES ${SWIRL_DEPENDENCIES_${layer}})
endforeach()

if(NOT layer_objects)
    return()
endif()

add_library(swirl ${layer_objects})
add_library(swirl::swirl ALIAS swirl)
set_target_properties(swirl PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(swirl PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(swirl PUBLIC cxx_std_20)
# Third-party libraries are private: no public header includes their headers.
target_link_libraries(swirl PRIVATE ${SWIRL_LIBRARY_DEPENDENCIES})

if(BUILD_SHARED_LIBS)
    target_sources(swirl PRIVATE ${PROJECT_SOURCE_DIR}/cmake/asmjit_debug_output.cpp)
    target_link_libraries(swirl PRIVATE asmjit::asmjit swirl_compile_options)
    target_link_options(swirl PRIVATE -Wl,--exclude-libs,ALL)
endif()
