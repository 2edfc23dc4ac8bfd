#include <scoreline/scoreline.h>

#include <iostream>

int main() {
  auto scoreline = scoreline::Scoreline::open("game-data");
  auto board = scoreline.leaderboard("main", {.rule = scoreline::Rule::sum});
  board.add_points("alice", 120);
  board.add_points("bob", 95);
  board.add_points("carol", 130);
  board.add_points("bob", 60);
  for (const auto& entry : board.top(3)) std::cout << entry.rank << ' ' << entry.player << ' ' << entry.points << '\n';
  std::cout << "alice is number " << board.rank_of("alice").value() << '\n';
}
