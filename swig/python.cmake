# SPDX-License-Identifier: Apache-2.0
# The extension module cmm._cmm. A build for another Python than the one found needs only its headers:
# -DCMM_PYTHON_INCLUDE=/folder/of/Python.h -DCMM_PYTHON_SUFFIX=.cpython-312-x86_64-linux-gnu.so
set(CMM_PYTHON_INCLUDE "" CACHE STRING "Folders of another Python's headers")
set(CMM_PYTHON_SUFFIX "" CACHE STRING "File name suffix of that Python's extension modules")

cmm_swig(cmm_python python python ${CMAKE_CURRENT_BINARY_DIR}/python -builtin -O)
if(CMM_PYTHON_INCLUDE)
    target_include_directories(cmm_python SYSTEM PRIVATE ${CMM_PYTHON_INCLUDE})
    set(suffix ${CMM_PYTHON_SUFFIX})
else()
    find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
    target_link_libraries(cmm_python PRIVATE Python::Module)
    set(suffix .${Python_SOABI}${CMAKE_SHARED_MODULE_SUFFIX})
endif()
set_target_properties(
    cmm_python
    PROPERTIES
        OUTPUT_NAME _cmm
        PREFIX ""
        SUFFIX ${suffix}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/cmm
        INSTALL_RPATH "$ORIGIN"
)
