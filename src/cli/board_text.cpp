#include "cli/board_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "http/json_text.h"

namespace scoreline::cli {
namespace {

struct Block {
  char32_t first;
  char32_t last;
};

constexpr std::array<Block, 8> kNoWidth{{{0x0300, 0x036F},
                                         {0x0483, 0x0489},
                                         {0x0591, 0x05BD},
                                         {0x064B, 0x065F},
                                         {0x200B, 0x200F},
                                         {0x202A, 0x202E},
                                         {0x20D0, 0x20FF},
                                         {0xFE00, 0xFE0F}}};
constexpr std::array<Block, 11> kTwoWide{{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1F64F},
                                          {0x1F900, 0x1F9FF},
                                          {0x20000, 0x3FFFD}}};

bool in_any(char32_t c, const auto& blocks) {
  return std::ranges::any_of(blocks, [c](const Block& block) { return block.first <= c && c <= block.last; });
}

/// The next character of well-formed UTF-8.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t c = bytes == 1 ? lead : lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes && i < text.size(); ++i) {
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(bytes, text.size()));
  return c;
}

void append_right(std::string& out, std::string_view text, std::size_t width) {
  out.append(width - std::min(width, display_width(text)), ' ').append(text);
}

void append_left(std::string& out, std::string_view text, std::size_t width) {
  out.append(text).append(width - std::min(width, display_width(text)), ' ');
}

void append_entry_fields(std::string& out, const ShownEntry& entry) {
  out.append(R"("rank":)");
  http::append_number(out, entry.rank);
  out.append(R"(,"playerId":)");
  http::append_quoted(out, entry.player);
  out.append(R"(,"points":)").append(entry.points);
  for (const auto& criterion : entry.criteria) {
    out.append(&criterion == entry.criteria.data() ? R"(,"criteria":{)" : ",");
    http::append_quoted(out, criterion.name);
    out.append(":").append(criterion.value);
  }
  if (!entry.criteria.empty()) out.push_back('}');
  out.append(R"(,"achievedAt":)");
  http::append_quoted(out, entry.achieved_at);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    width += in_any(c, kNoWidth) ? 0U : in_any(c, kTwoWide) ? 2U : 1U;
  }
  return width;
}

std::string board_table(const ShownBoard& board, std::string_view marked) {
  // The numbers of an entry, the points first, and what stands above them.
  using Cells = std::vector<std::string>;
  const auto cells_of = [](const ShownEntry& entry) {
    Cells cells{entry.points};
    for (const auto& criterion : entry.criteria) cells.push_back(criterion.value);
    return cells;
  };
  Cells titles{"points"};
  if (!board.entries.empty()) {
    for (const auto& criterion : board.entries.front().criteria) titles.push_back(criterion.name);
  }
  std::size_t rank_width = 4;
  std::size_t player_width = 6;
  std::vector<std::size_t> widths;
  for (const std::string& title : titles) widths.push_back(title.size());
  for (const auto& entry : board.entries) {
    rank_width = std::max(rank_width, std::to_string(entry.rank).size());
    player_width = std::max(player_width, display_width(entry.player));
    const Cells cells = cells_of(entry);
    for (std::size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string out;
  const auto append_row = [&](char mark, std::string_view rank, std::string_view player, const Cells& cells,
                              std::string_view at) {
    out.append({mark, ' '});
    append_right(out, rank, rank_width);
    out.append("  ");
    append_left(out, player, player_width);
    for (std::size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
      out.append("  ");
      append_right(out, cells[i], widths[i]);
    }
    out.append("  ").append(at).append("\n");
  };
  append_row(' ', "rank", "player", titles, "achieved at");
  for (const auto& entry : board.entries) {
    append_row(!marked.empty() && entry.player == marked ? '>' : ' ', std::to_string(entry.rank), entry.player,
               cells_of(entry), entry.achieved_at);
  }
  out.append("season ").append(std::to_string(board.season)).append(", ");
  out.append(std::to_string(board.players)).append(board.players == 1 ? " player\n" : " players\n");
  return out;
}

std::string board_json(const ShownBoard& board) {
  std::string out = R"({"season":)";
  http::append_number(out, board.season);
  out.append(R"(,"players":)");
  http::append_number(out, board.players);
  out.append(R"(,"entries":[)");
  bool first = true;
  for (const auto& entry : board.entries) {
    out.append(first ? "{" : ",{");
    append_entry_fields(out, entry);
    out.push_back('}');
    first = false;
  }
  out.append("]}\n");
  return out;
}

std::string place_json(const ShownBoard& board) {
  std::string out = R"({"season":)";
  http::append_number(out, board.season);
  out.append(R"(,"players":)");
  http::append_number(out, board.players);
  out.append(R"(,"percentile":)").append(board.percentile).push_back(',');
  append_entry_fields(out, board.entries.front());
  out.append("}\n");
  return out;
}

}  // namespace scoreline::cli
