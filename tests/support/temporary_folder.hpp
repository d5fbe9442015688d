// SPDX-License-Identifier: Apache-2.0
// A folder that is gone at the end of the scope.
#pragma once
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <system_error>

namespace cmm::test {

class temporary_folder {
public:
    temporary_folder() {
        auto name = (std::filesystem::temp_directory_path() / "cmm-test-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw std::system_error(errno, std::generic_category(), name);
        path_ = name;
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace cmm::test
