# SPDX-License-Identifier: Apache-2.0
# boost_discover_tests(TARGET [PREFIX name] [ENVIRONMENT key=value...] [LABELS label...] [TIMEOUT s])
#
# Registers every case of a Boost.Test program with ctest as PREFIX/suite/case; PREFIX is the target's
# name unless given, and one program can be registered several times under different ones. The program
# itself is asked for its cases whenever ctest starts, so that the list is never older than the program.
function(boost_discover_tests target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;TIMEOUT" "ENVIRONMENT;LABELS")
    if(NOT arg_PREFIX)
        set(arg_PREFIX ${target})
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    string(MAKE_C_IDENTIFIER ${arg_PREFIX} file)
    set(script ${CMAKE_CURRENT_BINARY_DIR}/discover_${file}.cmake)
    file(
        GENERATE OUTPUT ${script}
        CONTENT
            "set(discover_cmake [==[${CMAKE_COMMAND}]==])
set(discover_program [==[$<TARGET_FILE:${target}>]==])
set(discover_prefix [==[${arg_PREFIX}]==])
set(discover_timeout ${arg_TIMEOUT})
set(discover_environment [==[${arg_ENVIRONMENT}]==])
set(discover_labels [==[${arg_LABELS}]==])
include([==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}/BoostTestDiscoverRun.cmake]==])
"
    )
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
