// SPDX-License-Identifier: Apache-2.0
// Lifetimes: host views as direct ByteBuffers, and owners of borrowed memory.
%typemap(jni) direct_bytes "jobject"
%typemap(jtype) direct_bytes "java.nio.ByteBuffer"
%typemap(jstype) direct_bytes "java.nio.ByteBuffer"
%typemap(javaout) direct_bytes { return $jnicall; }
%typemap(out) direct_bytes %{
    $result = jenv->NewDirectByteBuffer(reinterpret_cast<void*>($1.address), $1.bytes);
%}

%{
namespace {

struct direct_bytes {
    std::uint64_t address;
    std::int64_t bytes;
};
direct_bytes as_byte_buffer(std::uint64_t address, std::int64_t bytes) noexcept { return {address, bytes}; }

// Owners stay in Java, under numbers. Memory is done with on any thread, also when the virtual machine is
// gone: the numbers wait here until Java asks for them.
struct released_numbers {
    std::mutex lock;
    std::vector<std::uint64_t> numbers;
    std::atomic<bool> any{false};
};
released_numbers& all_released() {
    static auto* released = new released_numbers; // outlives every thread
    return *released;
}

void owner_released(void* number) {
    auto& released = all_released();
    try {
        const std::lock_guard guard(released.lock);
        released.numbers.push_back(reinterpret_cast<std::uint64_t>(number));
        released.any.store(true, std::memory_order_release);
    } catch (...) { // out of memory: the owner stays
    }
}

buffer_handle borrow(std::uint64_t address, std::uint64_t bytes, bool managed, std::uint64_t owner) {
    return cmm::boundary::buffer_borrow(address, bytes, managed, owner ? owner_released : nullptr,
                                        reinterpret_cast<void*>(owner));
}

std::vector<handle> released_owners() {
    auto& released = all_released();
    if (!released.any.load(std::memory_order_acquire))
        return {};
    const std::lock_guard guard(released.lock);
    released.any.store(false, std::memory_order_relaxed);
    return std::exchange(released.numbers, {});
}

} // namespace
%}
direct_bytes as_byte_buffer(std::uint64_t address, std::int64_t bytes);
buffer_handle borrow(std::uint64_t address, std::uint64_t bytes, bool managed, std::uint64_t owner);
std::vector<handle> released_owners();
