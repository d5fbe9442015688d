// SPDX-License-Identifier: Apache-2.0
// Vectors: what a driver answered, as text. vectors/README.md says how they are written.
#pragma once

#include "client.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace vectors {

struct step {
    int line;
    std::vector<std::string> words; // the verb first
    std::string answer;             // as written behind "->", or SUCCESS
};

struct vector_case {
    std::string name;
    std::filesystem::path file;
    int needs = 0; // the driver version, 0 for any
    std::vector<step> steps;
};

/// @throws std::runtime_error naming file and line.
std::vector<vector_case> read(const std::filesystem::path& file);

struct difference {
    int line;
    std::string step, wanted, got;
};

/// Plays a case, and says where the driver answers otherwise. Everything it made is let go.
std::vector<difference> play(const driver::library& with, const vector_case& played);

} // namespace vectors
