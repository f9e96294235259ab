# libcufft.so.12 and libcufft.so.11: cuFFT's interface, in a folder of their own, where no linker and no program finds them unless
# told to. They have the names and the versions of symbols of CUDA 13's and CUDA 12's libraries, so that programs linked with
# cuFFT run with them. They need neither CUDA's toolkit nor its runtime, here or where they run.

set(SWIRL_CUFFT_FOLDER swirl-cufft)

set(SWIRL_CUFFT_LIBRARIES)
foreach(version IN ITEMS 12.0.0 11.4.1)
    string(REPLACE "." ";" parts ${version})
    list(GET parts 0 major)
    list(GET parts 1 minor)
    list(GET parts 2 patch)
    set(target swirl_cufft${major}_shared)
    set(names cufft[A-Z]*)
    if(major EQUAL 11)
        list(APPEND names __cufftXtSetJITCallback_12_7)
    endif()
    swirl_library(${target} NAME cufft SUBFOLDER ${SWIRL_CUFFT_FOLDER} VERSION ${version} SOVERSION ${major}
        SYMBOL_VERSION libcufft.so.${major} LAYERS cufft EXPORTS ${names} SHARED_ONLY)
    math(EXPR number "${major} * 1000 + ${minor} * 100 + ${patch}")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/cufft_version.c)
    target_compile_definitions(${target} PRIVATE SWIRL_CUFFT_VERSION=${number})
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions) # cuFFT itself may be in the process, too
    list(APPEND SWIRL_CUFFT_LIBRARIES ${target})
endforeach()

# Both in one folder, where libcufft.so, which linkers look for, is the newer one.
set_property(TARGET swirl_cufft11_shared PROPERTY VERSION)
set_property(TARGET swirl_cufft11_shared PROPERTY SOVERSION)
set_target_properties(swirl_cufft11_shared PROPERTIES SUFFIX .so.11 NO_SONAME ON)
target_link_options(swirl_cufft11_shared PRIVATE -Wl,-soname,libcufft.so.11)
