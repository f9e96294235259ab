# An installed library, shared and static, from the same objects. Everything linked into it is hidden: it exports the names that
# match `EXPORTS` (patterns of the linker), and needs libc, libm and libstdc++ alone.

set(SWIRL_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # version 0.2 need not be compatible with 0.1

# Debian builds libasmjit.a without -fPIC: all that contains it gets this in place of one of its objects; see the file.
set(asmjit_debug_output)
if(NOT SWIRL_ASMJIT_SOURCE_DIR)
    add_library(swirl_asmjit_debug_output OBJECT ${PROJECT_SOURCE_DIR}/cmake/asmjit_debug_output.cpp)
    target_link_libraries(swirl_asmjit_debug_output PRIVATE swirl_compile_options asmjit::asmjit)
    set(asmjit_debug_output $<TARGET_OBJECTS:swirl_asmjit_debug_output>)
endif()

# Merges objects into one. Clang's linker, which CMake finds first with that compiler, has not the option that it needs.
find_program(SWIRL_GNU_LINKER NAMES ld.bfd ld REQUIRED)
mark_as_advanced(SWIRL_GNU_LINKER)

# swirl_library(<target> NAME <name> [VERSION <version> SOVERSION <version>] [SUBFOLDER <folder>] [SYMBOL_VERSION <version>]
#     LAYERS <folder>… EXPORTS <pattern>… [SHARED_ONLY]): targets <target> (shared) and, unless SHARED_ONLY, <name>_static, in
# this folder among the others'. All objects of the layers are in it, and those of the layers above that they need.
function(swirl_library target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED_ONLY" "NAME;VERSION;SOVERSION;SUBFOLDER;SYMBOL_VERSION" "LAYERS;EXPORTS")
    if(NOT arg_VERSION)
        set(arg_VERSION ${PROJECT_VERSION})
        set(arg_SOVERSION ${SWIRL_SOVERSION})
    endif()
    set(objects)
    set(archives)
    foreach(layer IN LISTS arg_LAYERS)
        get_target_property(type swirl_${layer} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
            list(APPEND objects $<TARGET_OBJECTS:swirl_${layer}>)
            list(APPEND archives $<TARGET_FILE:swirl_${layer}>)
        endif()
    endforeach()
    list(GET arg_LAYERS -1 last)

    list(JOIN arg_EXPORTS "; " patterns)
    set(version_script ${PROJECT_BINARY_DIR}/${target}.map)
    file(CONFIGURE OUTPUT ${version_script} CONTENT "@arg_SYMBOL_VERSION@ { global: @patterns@; local: *; };\n" @ONLY)
    add_library(${target} SHARED ${objects} ${asmjit_debug_output})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_NAME} LINKER_LANGUAGE CXX
        VERSION ${arg_VERSION} SOVERSION ${arg_SOVERSION} LINK_DEPENDS ${version_script}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${arg_SUBFOLDER})
    target_link_libraries(${target} PRIVATE swirl_${last} swirl_compile_options)
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,--version-script=${version_script})

    # The objects are linked into one, in which names that are not exported become local: a program may contain another version of a
    # library that is linked in here. Sanitizers need the names of objects as they are.
    if(SWIRL_SANITIZES OR arg_SHARED_ONLY OR NOT SWIRL_HAVE_STATIC_LIBRARIES)
        return()
    endif()
    set(merged ${PROJECT_BINARY_DIR}/${arg_NAME}.o)
    list(JOIN arg_EXPORTS "\n" patterns)
    set(exported_names ${PROJECT_BINARY_DIR}/${arg_NAME}.exports)
    file(CONFIGURE OUTPUT ${exported_names} CONTENT "@patterns@\n" @ONLY)
    set(linked_in)
    foreach(layer IN LISTS SWIRL_LAYERS)
        if(layer IN_LIST arg_LAYERS)
            break() # folders need only those above them
        endif()
        get_target_property(type swirl_${layer} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
            list(APPEND linked_in $<TARGET_FILE:swirl_${layer}>)
        endif()
    endforeach()
    list(APPEND linked_in $<TARGET_FILE:asmjit::asmjit> ${SWIRL_SQLITE_LIBRARY})
    add_custom_command(OUTPUT ${merged}
        COMMAND ${SWIRL_GNU_LINKER} -r --force-group-allocation -o ${merged} ${asmjit_debug_output}
            --whole-archive ${archives} --no-whole-archive --start-group ${linked_in} --end-group
        # Of unique symbols, which asmjit's objects have, weak ones are made first: they would stay global.
        COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=_Z*6asmjit* ${merged}
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbols=${exported_names} --localize-hidden ${merged}
        DEPENDS ${asmjit_debug_output} ${archives} ${linked_in} ${exported_names}
        COMMENT "Merging the objects of lib${arg_NAME}.a" COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${merged} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set(static ${arg_NAME}_static)
    add_library(${static} STATIC ${merged})
    # Of language C, so that projects without C++ can link it: the C++ library is named.
    set_target_properties(${static} PROPERTIES OUTPUT_NAME ${arg_NAME} LINKER_LANGUAGE C
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static/${arg_SUBFOLDER})
    target_link_libraries(${static} INTERFACE ${SWIRL_STATIC_NEEDS})
endfunction()

# What a static library leaves to the user's link step.
set(SWIRL_STATIC_NEEDS stdc++ m pthread ${CMAKE_DL_LIBS})

# libswirl: the names of C, and those of C++ that are marked SWIRL_API.
swirl_library(swirl NAME swirl SYMBOL_VERSION SWIRL_${SWIRL_SOVERSION} LAYERS ${SWIRL_LIBRARY_LAYERS}
    EXPORTS swirl_* _ZN5swirl* _ZNK5swirl* _ZTIN5swirl* _ZTSN5swirl* _ZTVN5swirl*)
foreach(library swirl swirl_static)
    if(TARGET ${library})
        add_library(swirl::${library} ALIAS ${library}) # as the installed package names it
        target_include_directories(${library} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_compile_features(${library} INTERFACE cxx_std_17)
    endif()
endforeach()
