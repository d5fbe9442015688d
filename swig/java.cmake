# SPDX-License-Identifier: Apache-2.0
# libcmmjni and the classes that go with it; Maven (bindings/java) compiles them and makes the jar.
find_package(JNI REQUIRED COMPONENTS JVM)

set(cmm_java_classes ${CMAKE_CURRENT_BINARY_DIR}/java/classes/io/github/cmm)
cmm_swig(cmm_java java java ${cmm_java_classes} -package io.github.cmm)
target_include_directories(cmm_java SYSTEM PRIVATE ${JAVA_INCLUDE_PATH} ${JAVA_INCLUDE_PATH2})
# Numbers of released owners may come from the driver's threads, so that the library stays loaded.
target_link_options(cmm_java PRIVATE LINKER:-z,nodelete)
set_target_properties(
    cmm_java
    PROPERTIES
        OUTPUT_NAME cmmjni
        PREFIX lib
        INSTALL_RPATH "$ORIGIN"
)

# What the tests ask and tell the simulated driver.
if(CMM_TESTS)
    add_library(cmm_java_sim MODULE ${PROJECT_SOURCE_DIR}/bindings/java/src/test/native/sim_control.c)
    target_include_directories(cmm_java_sim SYSTEM PRIVATE ${JAVA_INCLUDE_PATH} ${JAVA_INCLUDE_PATH2})
    target_link_libraries(cmm_java_sim PRIVATE cmm::sim)
    set_target_properties(cmm_java_sim PROPERTIES OUTPUT_NAME cmmjavasim)
endif()
