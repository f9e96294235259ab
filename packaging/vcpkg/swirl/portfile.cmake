# A port of vcpkg:   vcpkg install swirl --overlay-ports=packaging/vcpkg
# It builds the tree that it lies in. For a release SOURCE_PATH becomes that of vcpkg_from_github.
cmake_path(ABSOLUTE_PATH CMAKE_CURRENT_LIST_DIR NORMALIZE OUTPUT_VARIABLE port)
cmake_path(GET port PARENT_PATH SOURCE_PATH)
cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)
cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)

# Kernels are generated at run time: there is nothing for a debugger in a debug build of the library.
set(VCPKG_BUILD_TYPE release)
# Shared and static libraries are installed, whatever the triplet's linkage: static ones hide what is linked in, too.
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES tools SWIRL_BUILD_CLI)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DSWIRL_UNITE=ON
        -DSWIRL_WERROR=OFF
        -DSWIRL_BUILD_TESTS=OFF
        -DSWIRL_BUILD_BENCH=OFF
        -DSWIRL_BUILD_EXAMPLES=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/swirl)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES swirl AUTO_CLEAN)
endif()

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
