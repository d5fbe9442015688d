# SPDX-License-Identifier: Apache-2.0
# libcmmcs and the classes that go with it; bindings/csharp compiles them into Cmm.dll.
set(cmm_csharp_generated ${CMAKE_CURRENT_BINARY_DIR}/csharp/generated)
cmm_swig(cmm_csharp csharp csharp ${cmm_csharp_generated} -namespace Cmm -dllimport cmmcs)
# Owners' numbers may come from the driver's threads, so that the library stays loaded.
target_link_options(cmm_csharp PRIVATE LINKER:-z,nodelete)
set_target_properties(cmm_csharp PROPERTIES OUTPUT_NAME cmmcs PREFIX lib INSTALL_RPATH "$ORIGIN")
set(cmm_csharp_generated ${cmm_csharp_generated} PARENT_SCOPE)
