// SPDX-License-Identifier: Apache-2.0
#pragma once

// Binds this process to the CPUs of a host NUMA node. False where the system does not let it, or
// has no such node.
bool bind_to_node(int node);
