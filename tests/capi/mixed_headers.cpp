// SPDX-License-Identifier: Apache-2.0
#include "mixed_headers.hpp"

seen look_with_headers(const shared_memory& m) { return look(m, cmm::host{}); }
