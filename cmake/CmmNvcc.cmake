# SPDX-License-Identifier: Apache-2.0
# nvcc, from a CUDA Toolkit or from the wheels that `./dev` fetches into build/cuda/nvcc. Sets CMM_NVCC,
# which is false where there is none.
find_package(CUDAToolkit 12 QUIET)
find_program(
    CMM_NVCC
    nvcc
    HINTS
        ${CUDAToolkit_BIN_DIR}
        ${CMAKE_CURRENT_LIST_DIR}/../build/cuda/nvcc/nvidia/cu13/bin
        /usr/local/cuda/bin
    NO_DEFAULT_PATH
)
find_program(CMM_NVCC_HOST g++)

# cmm_nvcc_object(OBJECT SOURCE): an object file of CUDA C++17 for cmm::c, by nvcc and g++. CMake's own CUDA
# language would make every user of this tree have a toolkit.
function(cmm_nvcc_object object source)
    add_custom_command(
        OUTPUT ${object}
        COMMAND
            ${CMM_NVCC} -std=c++17 -c ${source} -o ${object} -ccbin ${CMM_NVCC_HOST} -Wno-deprecated-gpu-targets
            -Xcompiler -Wall,-Wextra,-fPIC -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include
        DEPENDS ${source} ${PROJECT_SOURCE_DIR}/include/cmm/cmm.h
        COMMENT "Compiling ${source} with nvcc"
        VERBATIM
    )
endfunction()

# cmm_link_cuda(TARGET): with the runtime of that nvcc's toolkit, statically.
function(cmm_link_cuda target)
    cmake_path(GET CMM_NVCC PARENT_PATH bin)
    find_library(
        CMM_CUDART
        cudart_static
        HINTS ${bin}/../lib ${bin}/../lib64 ${bin}/../targets/x86_64-linux/lib
        NO_DEFAULT_PATH
        REQUIRED
    )
    find_package(Threads REQUIRED)
    target_link_libraries(${target} PRIVATE ${CMM_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt)
endfunction()
