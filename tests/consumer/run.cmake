# SPDX-License-Identifier: Apache-2.0
# Installs the build into a prefix of its own, moves that, and builds and runs the project against it.
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed with ${status}: ${ARGN}")
    endif()
endfunction()

file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
file(COPY ${project} DESTINATION ${work})
step(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/moved)
step(
    ${CMAKE_COMMAND} -S ${work}/project -B ${work}/built -G Ninja -DCMAKE_MAKE_PROGRAM=${ninja}
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work}/moved ${options}
)
step(${CMAKE_COMMAND} --build ${work}/built)
step(${work}/built/consumer)
