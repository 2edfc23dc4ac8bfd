// The names of a board's keys, and the words by which scripts know what kind of board it is.
//
// All keys of one board share a hash tag, so that they are in one slot of a cluster: `lb:{s12}`, `lb:{s12}:meta`;
// boards of a leaderboard other than `main` are `lb:{NAME:s12}`; days and weeks are `lb:{s12}:d:2026-10-12` and
// `lb:{s12}:w:2026-W41`, in the slot of their season.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leaderboards/definition.h"

namespace scoreline::redis {

struct BoardKeys {
  std::string board;
  std::string meta;
  std::string beside;  ///< per player, beside the sorted set: `…:prefixes` of wide boards, `…:counts` of packed ones
  std::string classes;  ///< with ties `dense`, the distinct points and criteria of its players
  std::string side;     ///< the board of a load under way
  std::string side_beside;
  std::string side_classes;
  std::string erased;  ///< since the load under way began

  std::vector<std::string> to_read() const { return {board, meta, beside, classes}; }
  std::vector<std::string> to_change() const {
    return {board, meta, beside, classes, side, side_beside, side_classes, erased};
  }
};

BoardKeys keys_of(std::string_view prefix, const leaderboards::Board& board);

/// Another one for every board whose numbers mean something else: `best desc first packed 1790000000000`. The first
/// four words are what the scripts go by.
std::string spec_of(const leaderboards::Board& board);

}  // namespace scoreline::redis
