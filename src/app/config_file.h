// The configuration file: TOML, read into plain values. What a key means is config.cpp's to say; what a leaderboard
// may be is said here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"

namespace scoreline::app {

struct ConfigFile {
  std::map<std::string, std::string> values;  ///< top-level keys as they stand, numbers and truth values as text
  /// The tables `[leaderboards.NAME]`, with the fields of the HTTP contract. Points are whole numbers, or strings with
  /// a decimal number (`minPoints = "-0.5"`), because TOML's own floats are not exact; grace is `"10m"`.
  std::vector<leaderboards::Definition> leaderboards;
};

/// Errors: Code::usage; `field` names the key, `leaderboards.NAME.key` within a table. `name` is for messages.
Result<ConfigFile> read_config_file(std::string_view text, std::string_view name);

/// `definition` as a table that read_config_file reads again.
void append_definition(std::string& out, const leaderboards::Definition& definition);

/// The one of `valid` that looks most like `key`.
std::string_view nearest(std::string_view key, const std::vector<std::string_view>& valid);

}  // namespace scoreline::app
