// SPDX-License-Identifier: Apache-2.0
namespace cmm::boundary {

stream_handle stream_create(std::int32_t device, std::int32_t priority, bool blocking);
std::uint64_t stream_raw(stream_handle s);
std::int32_t stream_device(stream_handle s);
std::int32_t stream_priority(stream_handle s);
void stream_sync(stream_code s);
bool stream_done(stream_handle s);
void stream_wait_event(stream_handle s, event_handle event);
void stream_wait_stream(stream_handle s, stream_code other);
bool stream_capturing(stream_handle s);
event_handle event_record(stream_code s, bool timing);
std::uint64_t event_raw(event_handle e);
void event_sync(event_handle e);
bool event_done(event_handle e);
double event_nanoseconds_since(event_handle e, event_handle earlier);

}
