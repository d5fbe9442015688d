# SPDX-License-Identifier: Apache-2.0
# Installs the build, moves it, and builds the examples and the C test with GCC against it: by the CMake package
# and by pkg-config.
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed with ${status}: ${ARGN}")
    endif()
endfunction()

file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
file(COPY ${source}/tests/capi/project ${source}/tests/capi/capi_test.c ${source}/examples/c ${source}/examples/cpp17 DESTINATION ${work})
step(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/moved)
step(
    ${CMAKE_COMMAND} -S ${work}/project -B ${work}/built -G Ninja -DCMAKE_MAKE_PROGRAM=${ninja}
    -DCMAKE_C_COMPILER=${gcc} -DCMAKE_CXX_COMPILER=${gxx} -DCMAKE_PREFIX_PATH=${work}/moved
)
step(${CMAKE_COMMAND} --build ${work}/built)
foreach(program c_by_cmm c_by_c cpp17_by_cmm cpp17_by_c capi_test)
    step(${work}/built/${program})
endforeach()

find_program(pkg_config pkg-config)
if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${work}/moved/lib/pkgconfig)
    execute_process(
        COMMAND ${pkg_config} --cflags --libs cmm
        OUTPUT_VARIABLE flags
        OUTPUT_STRIP_TRAILING_WHITESPACE
        COMMAND_ERROR_IS_FATAL ANY
    )
    separate_arguments(flags)
    step(
        ${gcc} -std=c11 -Wall -Wextra -Werror ${work}/c/stage.c -o ${work}/by_pkg_config ${flags}
        -Wl,-rpath,${work}/moved/lib
    )
    step(${work}/by_pkg_config)
endif()
