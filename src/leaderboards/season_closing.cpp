#include "leaderboards/season_closing.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace scoreline::leaderboards {

SeasonClosing::SeasonClosing(Catalogue& catalogue, Archives& archives, BoardMaker& maker, RankIndex& index,
                             PastBoards::MakeIndex make_index, OnWriter on_writer, Reach reach)
    : catalogue_(catalogue),
      archives_(archives),
      maker_(maker),
      index_(index),
      make_index_(std::move(make_index)),
      on_writer_(std::move(on_writer)),
      reach_(std::move(reach)) {}

Result<void> mark_closing(Catalogue& catalogue, Archives& archives, const LeaderboardName& leaderboard, SeasonId season,
                          Timestamp now) {
  // Another process may just have opened or ended it.
  if (const auto read = catalogue.refresh(); !read) return read;
  const auto record = catalogue.find(leaderboard.text());
  if (!record) return fail(record.error());
  const Season* const opened = find_season(**record, season);
  if (opened == nullptr) return fail(Code::not_found, "nobody has opened this season", "season");
  if (opened->state != SeasonState::open) return {};
  Season closing = *opened;
  if (!closing.end || *closing.end > now) closing.end = now;
  return archives.mark_closing(leaderboard, closing).and_then([&] { return catalogue.refresh(); });
}

Result<void> SeasonClosing::reach(Step step) const { return reach_ ? reach_(step) : Result<void>(); }

Result<void> SeasonClosing::write(const Work& work) const { return archives_.on_writer() ? on_writer_(work) : work(); }

Result<void> SeasonClosing::mark(const LeaderboardName& leaderboard, SeasonId season, Timestamp now) {
  if (auto reached = reach(Step::mark); !reached) return reached;
  return on_writer_([&] { return mark_closing(catalogue_, archives_, leaderboard, season, now); });
}

Result<void> SeasonClosing::archive(const LeaderboardName& leaderboard, SeasonId season) {
  std::unique_ptr<ArchiveWriter> writer;
  const auto begun =
      write([&] { return archives_.begin(leaderboard, season).map([&](auto made) { writer = std::move(made); }); });
  if (!begun) return begun;
  if (auto reached = reach(Step::fold); !reached) return reached;
  const auto board = catalogue_.board(leaderboard.text(), season);
  if (!board) return fail(board.error());
  // A live board of its own, so that the archive has the very ranks that readers saw.
  const std::unique_ptr<RankIndex> final = make_index_();
  if (auto made = maker_.make_as_of(*board, kMaxTimestamp, *final); !made) return made;
  if (auto written = write_all(*writer, *board, *final); !written) return written;
  return on_writer_([&] { return catalogue_.refresh(); });
}

Result<void> SeasonClosing::write_all(ArchiveWriter& writer, const Board& board, const BoardReader& final) {
  if (auto reached = reach(Step::clear); !reached) return reached;
  for (bool clean = false; !clean;) {
    const auto cleared = write([&] { return writer.clear().map([&](bool nothing_left) { clean = nothing_left; }); });
    if (!cleared) return cleared;
  }
  if (auto reached = reach(Step::write); !reached) return reached;
  std::vector<ArchivedPlayer> players;
  std::vector<ArchivedEntry> piece;
  std::uint64_t position = 0;
  while (true) {
    auto page = final.range(board, position + 1, kArchivePiece);
    if (!page) return fail(std::move(page).error());
    if (page->entries.empty()) break;
    players.reserve(page->players);
    piece.clear();
    for (Entry& entry : page->entries) {
      players.push_back({entry.player, ++position});
      piece.push_back({position, std::move(entry)});
    }
    if (auto added = write([&] { return writer.add(piece); }); !added) return added;
  }
  std::sort(players.begin(), players.end(),
            [](const ArchivedPlayer& a, const ArchivedPlayer& b) { return a.player < b.player; });
  for (std::size_t from = 0; from < players.size(); from += kArchivePiece) {
    const auto part = std::span(players).subspan(from, std::min(kArchivePiece, players.size() - from));
    if (auto added = write([&] { return writer.add_players(part); }); !added) return added;
  }
  if (auto reached = reach(Step::finish); !reached) return reached;
  return write([&] { return writer.finish(position); });
}

Result<void> SeasonClosing::drop(const Board& board) {
  if (auto reached = reach(Step::drop); !reached) return reached;
  return index_.drop(board);
}

}  // namespace scoreline::leaderboards
