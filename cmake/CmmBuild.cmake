# SPDX-License-Identifier: Apache-2.0
# How everything in this tree is compiled, and which parts of it are.

# An importer must share the language mode of a module: a project that embeds cmm decides for both.
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_CXX_EXTENSIONS OFF)
    set(CMAKE_C_STANDARD 11)
    set(CMAKE_C_EXTENSIONS OFF)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Generated sources (SWIG's) import modules too.
set(CMAKE_CXX_SCAN_FOR_MODULES ON)

set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# Both trees, the built and the installed one, can be moved as a whole.
file(RELATIVE_PATH cmm_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/${cmm_lib_from_bin}")

# Directory options reach the exported module properties, so that they stay inside the build.
if(CMM_SANITIZE)
    list(JOIN CMM_SANITIZE "," cmm_sanitizers)
    set(cmm_sanitize_options
        -fsanitize=${cmm_sanitizers}
        -fno-sanitize-recover=all
        # The driver is called through pointers found by name, whose C++ types are not the C library's own.
        -fno-sanitize=function
        -fno-omit-frame-pointer
    )
    add_compile_options("$<BUILD_INTERFACE:${cmm_sanitize_options}>")
    add_link_options(${cmm_sanitize_options})
endif()

set(cmm_parts modules sim capi)
if(CMM_PYTHON OR CMM_JAVA OR CMM_CSHARP)
    list(APPEND cmm_parts swig bindings)
endif()
if(CMM_TOOLS)
    list(APPEND cmm_parts tools)
endif()
if(CMM_TESTS)
    enable_testing()
    list(APPEND cmm_parts tests)
endif()
if(CMM_BENCH)
    list(APPEND cmm_parts bench)
endif()
if(CMM_EXAMPLES)
    list(APPEND cmm_parts examples)
endif()
if(PROJECT_IS_TOP_LEVEL)
    list(APPEND cmm_parts docs)
endif()
