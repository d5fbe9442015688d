// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"
#include <csignal>

namespace cmm::tool {

namespace {

volatile std::sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

// No SA_RESTART: a read that waits comes back. What the parent ignores stays ignored.
void handle(int signal, void (*handler)(int)) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
        return;
    action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
}

} // namespace

interrupts_noted::interrupts_noted() {
    handle(SIGINT, &note);
    handle(SIGTERM, &note);
}

interrupts_noted::~interrupts_noted() {
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
}

void check_interrupt() {
    if (noted)
        throw interruption{noted};
}

} // namespace cmm::tool
