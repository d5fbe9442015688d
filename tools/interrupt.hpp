// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: work stops between two steps, so that buffers and streams are given back, and the program
// then dies of the signal, as its parent expects. A second Ctrl-C does not wait.
#pragma once

namespace cmm::tool {

struct interruption {
    int signal;
};

// While one lives, SIGINT and SIGTERM are noted instead of killing.
class interrupts_noted {
public:
    interrupts_noted();
    ~interrupts_noted();
    interrupts_noted(const interrupts_noted&) = delete;
    interrupts_noted& operator=(const interrupts_noted&) = delete;
};

// Throws interruption where a signal was noted.
void check_interrupt();

} // namespace cmm::tool
