// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vectors {
namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

step read_step(const std::string& text, int line) {
    const auto arrow = text.find("->");
    const auto answer = arrow == std::string::npos ? std::string() : text.substr(arrow + 2);
    return {line, words_of(text.substr(0, arrow)),
            answer.empty() ? "SUCCESS" : joined(words_of(answer))};
}

// Locations came with CUDA 12.2; before, places had ordinals.
int version_needed_by(const std::string& verb) {
    return verb == "advise" || verb == "prefetch" ? 12020 : 0;
}

void add(vector_case& to, const step& read) {
    const std::string& verb = read.words.front();
    if (verb == "needs") {
        to.needs = std::max(to.needs, std::stoi(read.words.at(1)));
        return;
    }
    to.needs = std::max(to.needs, version_needed_by(verb));
    to.steps.push_back(read);
}

} // namespace

std::vector<vector_case> read(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<vector_case> cases;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.empty() || line.front() == '#')
            continue;
        if (line.front() == '[') {
            cases.push_back({.name = line.substr(1, line.find(']') - 1),
                             .file = file,
                             .needs = 0,
                             .steps = {}});
            continue;
        }
        if (cases.empty())
            throw std::runtime_error(file.string() + ":" + std::to_string(number) +
                                     ": a line outside a case");
        add(cases.back(), read_step(line, number));
    }
    if (cases.empty())
        throw std::runtime_error(file.string() + ": no case");
    return cases;
}

} // namespace vectors
