// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "cli/command_line.h"

namespace scoreline::cli {

/// A flag that stands for a key of the configuration.
void add_setting(CLI::App& app, const std::string& flag, const std::string& key, const std::string& help,
                 std::map<std::string, std::string>& settings, const std::string& type_name);
void add_serve_settings(CLI::App& app, std::map<std::string, std::string>& settings);
/// What sends to Kafka needs.
void add_kafka_settings(CLI::App& app, std::map<std::string, std::string>& settings);
/// What reads from Kafka needs.
void add_consumer_settings(CLI::App& app, std::map<std::string, std::string>& settings);

// Which board is meant.
void add_board(CLI::App& app, BoardChoice& board, const std::string& season_help);
void add_as_of(CLI::App& app, BoardChoice& board);
void add_period(CLI::App& app, BoardChoice& board);

void add_time(CLI::App& app, const std::string& flag, std::optional<Timestamp>& at, const std::string& help);

}  // namespace scoreline::cli
