// SPDX-License-Identifier: Apache-2.0
// The advice of one buffer.
namespace cmm::boundary {

bool get_read_mostly(buffer_handle b);
void set_read_mostly(buffer_handle b, bool wanted);
location_code get_preferred_location(buffer_handle b);
void set_preferred_location(buffer_handle b, location_code wanted);
location_code get_last_prefetch_location(buffer_handle b);
cmm::accessor_set get_accessed_by(buffer_handle b);
void assign_accessed_by(buffer_handle b, std::span<const location_code> wanted);
void add_accessed_by(buffer_handle b, location_code l);
void discard_accessed_by(buffer_handle b, location_code l);

}
