// SPDX-License-Identifier: Apache-2.0
namespace cmm::boundary {

resource_handle resource_managed(std::int32_t device, std::int32_t attached);
resource_handle resource_arena(std::int32_t device, std::int32_t attached, std::uint64_t slab_bytes, std::uint64_t limit_bytes);
resource_handle resource_pinned();
resource_handle resource_device(std::int32_t device);
buffer_handle resource_allocate(resource_handle r, std::uint64_t bytes);
std::vector<handle> resource_allocate_batch(resource_handle r, std::span<const std::uint64_t> sizes);
cmm::arena_statistics resource_stats(resource_handle r);
std::uint64_t resource_trim(resource_handle r);
bool resource_is_arena(resource_handle r);
std::int32_t resource_device_ordinal(resource_handle r);

std::uint64_t buffer_address(buffer_handle b);
std::uint64_t buffer_bytes(buffer_handle b);
std::int32_t buffer_kind(buffer_handle b);
std::int32_t buffer_device(buffer_handle b);
buffer_handle buffer_slice(buffer_handle b, std::uint64_t offset, std::uint64_t bytes);
void buffer_close(buffer_handle b);
void buffer_close_after(buffer_handle b, stream_code s);
std::uint32_t buffer_views(buffer_handle b);
view_handle view_open(buffer_handle b);
std::uint64_t view_address(view_handle v);
std::uint64_t view_bytes(view_handle v);

std::uint64_t collect_retired();
void drain_retired();

// Of any kind; what a collector does.
void close(handle h);
bool is_open(handle h);

}
