// SPDX-License-Identifier: Apache-2.0
// Owners of borrowed memory stay in C#, under numbers. Memory is done with on any thread, also when the runtime
// is gone: the numbers wait here until C# asks for them.
%{
namespace {

struct waiting_numbers {
    std::mutex lock;
    std::vector<handle> numbers;
    std::atomic<bool> any{false};
};
waiting_numbers& all_waiting() {
    static auto* waiting = new waiting_numbers; // outlives every thread
    return *waiting;
}

void owner_done(void* number) {
    auto& waiting = all_waiting();
    try {
        const std::lock_guard guard(waiting.lock);
        waiting.numbers.push_back(reinterpret_cast<handle>(number));
        waiting.any.store(true, std::memory_order_release);
    } catch (...) { // out of memory: the owner stays
    }
}

buffer_handle borrow(std::uint64_t address, std::uint64_t bytes, bool managed, std::uint64_t owner) {
    return cmm::boundary::buffer_borrow(address, bytes, managed, owner ? owner_done : nullptr,
                                        reinterpret_cast<void*>(owner));
}

std::vector<handle> released_owners() {
    auto& waiting = all_waiting();
    if (!waiting.any.load(std::memory_order_acquire))
        return {};
    const std::lock_guard guard(waiting.lock);
    waiting.any.store(false, std::memory_order_relaxed);
    return std::exchange(waiting.numbers, {});
}

} // namespace
%}
