// SPDX-License-Identifier: Apache-2.0
#include "explain.h"

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>

#include <unistd.h>

namespace sim::explain {
namespace {

// The handler may run at any point of the program, so that it takes no lock: a fixed table of
// atomics. Past its end device memory still faults, only unexplained.
struct range {
    std::atomic<device_ptr> first{0};
    std::atomic<device_ptr> last{0};
};
std::array<range, 4096> ranges;
struct sigaction previous = {};

bool is_device_memory(device_ptr address) {
    for (const range& known : ranges)
        if (const auto first = known.first.load();
            first != 0 && address >= first && address < known.last.load())
            return true;
    return false;
}

void handle(int signal, siginfo_t* info, void*) {
    if (is_device_memory(reinterpret_cast<device_ptr>(info->si_addr))) {
        constexpr char text[] =
            "cmm simulated driver: the host touched device memory; copy it to host or "
            "managed memory first\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
    }
    // Returning repeats the access under the handler that was there before.
    sigaction(signal, &previous, nullptr);
}

} // namespace

void install() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action = {};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(SIGSEGV, &action, &previous);
    });
}

void add(device_ptr address, std::size_t bytes) {
    for (range& free : ranges) {
        device_ptr none = 0;
        if (free.first.load() == 0 && free.first.compare_exchange_strong(none, address)) {
            free.last = address + bytes;
            return;
        }
    }
}

void remove(device_ptr address) {
    for (range& known : ranges) {
        device_ptr wanted = address;
        if (known.first.load() != address)
            continue;
        known.last = 0;
        known.first.compare_exchange_strong(wanted, 0);
        return;
    }
}

} // namespace sim::explain
