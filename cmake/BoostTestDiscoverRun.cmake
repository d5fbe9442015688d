# SPDX-License-Identifier: Apache-2.0
# Read by ctest: asks one program for its cases and registers them. See BoostTestDiscover.cmake.

# A program that is missing, cannot start or has no case is one failing test, never silence.
function(discover_fail_as name)
    add_test("${discover_prefix}/${name}" "${discover_program}" --list_content)
    set_tests_properties("${discover_prefix}/${name}" PROPERTIES FAIL_REGULAR_EXPRESSION ".*")
endfunction()

function(discover_register path enabled)
    set(name "${discover_prefix}/${path}")
    # Signals are not caught: a crash keeps its own exit status, and a test that forks may let its
    # children die.
    add_test(
        "${name}"
        "${discover_program}"
        "--run_test=${path}"
        --color_output=no
        --log_level=test_suite
        --catch_system_errors=no
    )
    set_tests_properties(
        "${name}"
        PROPERTIES
            TIMEOUT ${discover_timeout}
            SKIP_REGULAR_EXPRESSION "is skipped because precondition failed"
    )
    if(discover_environment)
        set_tests_properties("${name}" PROPERTIES ENVIRONMENT "${discover_environment}")
    endif()
    if(discover_labels)
        set_tests_properties("${name}" PROPERTIES LABELS "${discover_labels}")
    endif()
    if(NOT enabled)
        set_tests_properties("${name}" PROPERTIES DISABLED TRUE)
    endif()
endfunction()

# A line is four blanks a level, the name, '*' where it is enabled, and ": " before a description. A
# unit is a case when the next line is not deeper than its own.
function(discover_cases lines)
    set(depth_before -1)
    set(path "")
    set(path_enabled "")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES "^( *)([^ *][^*]*)([*]?)")
            continue()
        endif()
        string(LENGTH "${CMAKE_MATCH_1}" depth)
        set(enabled "${CMAKE_MATCH_3}")
        string(STRIP "${CMAKE_MATCH_2}" name)
        math(EXPR depth "${depth} / 4")
        if(depth_before GREATER_EQUAL depth)
            list(JOIN path "/" case)
            discover_register("${case}" "${path_enabled}")
        endif()
        list(SUBLIST path 0 ${depth} path)
        list(APPEND path "${name}")
        set(path_enabled "${enabled}")
        set(depth_before ${depth})
    endforeach()
    list(JOIN path "/" case)
    discover_register("${case}" "${path_enabled}")
endfunction()

if(NOT EXISTS "${discover_program}")
    discover_fail_as(not_built)
    return()
endif()
# The list goes to standard error.
execute_process(
    COMMAND
        "${discover_cmake}" -E env ${discover_environment} "${discover_program}" --list_content
        --color_output=no
    ERROR_VARIABLE discover_listed
    OUTPUT_VARIABLE discover_ignored
    RESULT_VARIABLE discover_status
)
string(STRIP "${discover_listed}" discover_stripped)
if(NOT discover_status EQUAL 0)
    discover_fail_as(does_not_start)
elseif(discover_stripped STREQUAL "")
    discover_fail_as(has_no_case)
else()
    string(REPLACE ";" "_" discover_listed "${discover_listed}")
    string(REPLACE "\n" ";" discover_listed "${discover_listed}")
    discover_cases("${discover_listed}")
endif()
