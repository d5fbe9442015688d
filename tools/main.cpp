// SPDX-License-Identifier: Apache-2.0
// cmm: CUDA managed memory from the command line.
#include "commands.hpp"
#include "interrupt.hpp"
#include <CLI/CLI.hpp>
#include <cmm/version.h>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace {

using namespace cmm::tool;

constexpr int usage_error = 2;

// What the chosen subcommand runs.
struct choice {
    std::function<int()> run;
    bool json = false;
};

void add_demo(CLI::App& app, choice& chosen) {
    auto* command = app.add_subcommand(
        "demo",
        "Stage files through managed memory, digest them on the device and check the results");
    auto o = std::make_shared<demo_options>();
    command->add_option("FILE", o->files, "Files; a few that every Linux machine has by default");
    command->add_flag("--json", o->json, "Print JSON");
    command->callback([o, &chosen] { chosen = {[o] { return demo(*o); }, o->json}; });
}

void add_doctor(CLI::App& app, choice& chosen) {
    auto* command = app.add_subcommand(
        "doctor",
        "Say which driver and devices are here, what works on them, and what to do if not");
    auto o = std::make_shared<doctor_options>();
    command->add_flag("--all", o->all, "Print every look-up of an entry point");
    command->add_flag("--json", o->json, "Print JSON, which has every look-up");
    command->callback([o, &chosen] { chosen = {[o] { return doctor(*o); }, o->json}; });
}

void add_replay(CLI::App& app, choice& chosen) {
    auto* command = app.add_subcommand(
        "replay",
        "Run the operations of a trace, as CMM_TRACE=FILE writes it, again on this machine");
    auto o = std::make_shared<replay_options>();
    command->add_option("FILE", o->file, "The trace")->required();
    command->add_flag("--json", o->json, "Print JSON");
    command->callback([o, &chosen] { chosen = {[o] { return replay(*o); }, o->json}; });
}

void add_bench(CLI::App& app, choice& chosen) {
    auto* command =
        app.add_subcommand("bench", "Measure this machine; takes the options of cmm_bench_gpu");
    command->prefix_command();
    command->set_help_flag();
    command->callback([command, &chosen] {
        chosen = {[words = command->remaining()] { return bench(words); }, false};
    });
}

int report_failure(const std::string& what, bool json) {
    if (json)
        fmt::print("{}\n", nlohmann::json{{"error", what}}.dump(
                               2, ' ', false, nlohmann::json::error_handler_t::replace));
    fmt::print(stderr, "cmm: {}\n", what);
    return 1;
}

// A disk that is full must not look like success.
int flushed(int status) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return status;
    std::perror("cmm: standard output");
    return 1;
}

int run(const choice& chosen) {
    try {
        return flushed(chosen.run());
    } catch (const interruption& i) {
        fmt::print(stderr, "cmm: interrupted\n");
        return 128 + i.signal;
    } catch (const std::exception& e) {
        return flushed(report_failure(e.what(), chosen.json));
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("CUDA managed memory from the command line", "cmm");
    app.set_version_flag("--version", CMM_VERSION);
    app.require_subcommand(0, 1); // so that a wrong name is told by name
    app.footer(
        "CMM_DRIVER names the driver library (sim: the simulated one), CMM_API_LEVEL lowers the "
        "CUDA\n"
        "version that is used of it (12080), CMM_TRACE=FILE writes what every operation became.");
    choice chosen;
    add_demo(app, chosen);
    add_doctor(app, chosen);
    add_replay(app, chosen);
    add_bench(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? flushed(0) : usage_error;
    }
    if (!chosen.run) {
        fmt::print(stderr, "{}", app.help());
        return usage_error;
    }
    const int status = run(chosen);
    if (status > 128)
        std::raise(status - 128); // as the shell expects of an interrupted program
    return status;
}
