// SPDX-License-Identifier: Apache-2.0
// Leaves its process while the driver has work: leave LIBRARY work|held|callback|thread|late|touch
#include "client.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <unistd.h>

namespace {

using driver::opaque;
using driver::pointer;

constexpr std::size_t bytes = 16 << 20;

const driver::library* opened = nullptr;
opaque stream = nullptr;
pointer memory = 0;

[[noreturn]] void fail(const char* what, int code) {
    std::fprintf(stderr, "%s answers %d\n", what, code);
    std::_Exit(3);
}

template <class... Arguments> void call(const char* name, int version, Arguments... given) {
    if (const int code = opened->call(name, version, given...); code != 0)
        fail(name, code);
}

void queue_work() {
    for (unsigned char round = 0; round < 64; ++round)
        call("cuMemsetD8Async", 3020, memory, round, bytes, stream);
}

void sleep_long(void*) { std::this_thread::sleep_for(std::chrono::seconds(30)); }

// A destructor of the client's that runs after main, as a global buffer's does.
struct late_call {
    bool armed = false;
    ~late_call() {
        if (armed)
            call("cuMemFree", 3020, memory);
    }
} late;

void start(const char* path) {
    opened = new driver::library(path);
    opaque context = nullptr;
    call("cuInit", 2000, 0U);
    call("cuDevicePrimaryCtxRetain", 7000, &context, 0);
    call("cuCtxPushCurrent", 4000, context);
    call("cuStreamCreate", 2000, &stream, 1U);
    call("cuMemAllocManaged", 6000, &memory, bytes, 1U);
}

void hold() { reinterpret_cast<void (*)()>(opened->symbol("cmm_sim_hold"))(); }

void wait_elsewhere() {
    hold();
    queue_work();
    std::thread([] { opened->call("cuStreamSynchronize", 2000, stream); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void touch() {
    pointer far = 0;
    call("cuMemAlloc", 3020, &far, bytes);
    *reinterpret_cast<volatile char*>(far) = 1;
}

} // namespace

int main(int count, char** words) {
    if (count != 3)
        return 2;
    start(words[1]);
    const std::string how = words[2];
    if (how == "held")
        hold();
    if (how == "work" || how == "held")
        queue_work();
    if (how == "callback")
        call("cuLaunchHostFunc", 10000, stream, &sleep_long, static_cast<void*>(nullptr));
    if (how == "thread")
        wait_elsewhere();
    if (how == "touch")
        touch();
    late.armed = how == "late";
    return 0;
}
