// SPDX-License-Identifier: Apache-2.0
namespace cmm::boundary {

void open_driver(std::string_view library, std::int32_t api_level);
void open_simulated(std::string_view config, std::int32_t api_level);
std::string driver_library();
std::int32_t driver_version();
std::int32_t api_level();
bool driver_is_simulated();
std::int32_t devices();
std::string device_name(std::int32_t device);
std::int32_t numa_nodes();
std::string unsupported_reason(std::int32_t device, std::int32_t operation);
cmm::memory_information device_memory(std::int32_t device);
void make_current(std::int32_t device);
void set_hint_policy(std::int32_t policy);
std::int32_t get_hint_policy();

}
namespace cmm {

void reset_warnings();

}
