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

# cmm_java_helper(NAME SOURCE): a library beside libcmmjni that is no part of the jar.
function(cmm_java_helper name source)
    add_library(${name} MODULE ${PROJECT_SOURCE_DIR}/bindings/java/src/${source})
    target_include_directories(${name} SYSTEM PRIVATE ${JAVA_INCLUDE_PATH} ${JAVA_INCLUDE_PATH2})
    string(REPLACE "_" "" file_name ${name})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${file_name} PREFIX lib)
endfunction()

if(CMM_TESTS)
    # What the tests ask and tell the simulated driver.
    cmm_java_helper(cmm_java_sim test/native/sim_control.c)
    target_link_libraries(cmm_java_sim PRIVATE cmm::sim)
endif()
if(CMM_BENCH)
    # The driver's own calls, which the benchmark measures beside cmm's.
    cmm_java_helper(cmm_java_raw bench/native/raw_driver.c)
    target_link_libraries(cmm_java_raw PRIVATE ${CMAKE_DL_LIBS})
endif()
