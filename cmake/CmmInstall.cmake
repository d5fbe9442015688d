# SPDX-License-Identifier: Apache-2.0
# The installed tree: the library, its headers and module interfaces, and what finds them. Compiled
# module interfaces are not installed: each user compiles them in its own language mode.
include(CMakePackageConfigHelpers)

set(cmm_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cmm)
set_target_properties(cmm_sim PROPERTIES EXPORT_NAME sim)
install(
    TARGETS cmm cmm_sim
    EXPORT cmmTargets
    FILE_SET HEADERS
    FILE_SET CXX_MODULES DESTINATION ${CMAKE_INSTALL_DATADIR}/cmm/modules
)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sim/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(
    EXPORT cmmTargets
    NAMESPACE cmm::
    DESTINATION ${cmm_cmake_dir}
    CXX_MODULES_DIRECTORY
    modules
)

get_target_property(cmm_type cmm TYPE)
set(cmm_library_file ${CMAKE_${cmm_type}_PREFIX}cmm${CMAKE_${cmm_type}_SUFFIX})
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/cmmConfig.cmake.in
    ${PROJECT_BINARY_DIR}/cmake/cmmConfig.cmake
    INSTALL_DESTINATION ${cmm_cmake_dir}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/cmake/cmmConfigVersion.cmake
    COMPATIBILITY SameMinorVersion
)
install(
    FILES
        ${PROJECT_BINARY_DIR}/cmake/cmmConfig.cmake
        ${PROJECT_BINARY_DIR}/cmake/cmmConfigVersion.cmake
    DESTINATION ${cmm_cmake_dir}
)

file(
    RELATIVE_PATH
    cmm_prefix_from_pc
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    ${CMAKE_INSTALL_PREFIX}
)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cmm.pc.in ${PROJECT_BINARY_DIR}/cmake/cmm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/cmm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_CONTACT "the cmm authors <cmm@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_STRIP_FILES ON)
include(CPack)
