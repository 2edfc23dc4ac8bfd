// Other programs that write to the keys of a board.
#include "faults/redis/index_fixture.h"

namespace scoreline::test {
namespace {

class Strangers : public IndexFaults {};
ON_EVERY_SERVER(Strangers);

TEST_P(Strangers, AMemberThatSomebodyElseWroteOrTookAwayIsSeen) {
  load_some();
  std::vector<std::string> faults = {"ZADD lb:{s12} 5 stranger", "ZREMRANGEBYRANK lb:{s12} 0 0",
                                     "HSET lb:{s12}:meta players 3", "HDEL lb:{s12}:meta players"};
  if (board_.key == KeyKind::wide) {
    faults.emplace_back("HDEL lb:{s12}:prefixes p3");
    faults.emplace_back("HSET lb:{s12}:prefixes stranger 12345678");
  }
  for (const std::string& fault : faults) {
    SCOPED_TRACE(fault);
    admin(fault);
    expect_lost_and_healed();
  }
}

TEST_P(Strangers, AKeyOfAnotherKindIsSeenAndPutRight) {
  load_some();
  std::vector<std::string> keys = {"lb:{s12}", "lb:{s12}:meta"};
  if (board_.key == KeyKind::wide) keys.emplace_back("lb:{s12}:prefixes");
  for (const std::string& key : keys) {
    for (const char* const other : {"SET KEY x", "LPUSH KEY x", "SADD KEY x"}) {
      std::string fault = other;
      fault.replace(fault.find("KEY"), 3, key);
      SCOPED_TRACE(fault);
      admin("DEL " + key);
      admin(fault);
      expect_lost_and_healed();
    }
  }
}

TEST_P(Strangers, SideKeysOfAnotherKindAreInNobodysWay) {
  load_some();
  for (const char* const key : {"lb:{s12}:rebuild", "lb:{s12}:prefixes:rebuild", "lb:{s12}:erased:rebuild"}) {
    SCOPED_TRACE(key);
    ASSERT_EQ(admin(std::string("SET ") + key + " x"), "OK");
    EXPECT_TRUE(submit(index(), "p1", ledger_.standing("p1")->points + 1).value());
    expect_right();
    must(reload(other(), board_, ledger_));
    expect_right();
    admin(std::string("DEL ") + key);
  }
}

TEST_P(Strangers, WhoMeddlesWithALoadEndsItAndTheNextOneIsRight) {
  load_some();
  const PlayerId gone = player("p0");
  std::vector<std::string> faults = {"DEL lb:{s12}:rebuild",          "SET lb:{s12}:rebuild x",
                                     "ZADD lb:{s12}:rebuild 5 x",     "DEL lb:{s12}:erased:rebuild",
                                     "SET lb:{s12}:erased:rebuild x", "HSET lb:{s12}:meta rebuild_until soon"};
  if (board_.key == KeyKind::wide) {
    faults.emplace_back("DEL lb:{s12}:prefixes:rebuild");
    faults.emplace_back("SET lb:{s12}:prefixes:rebuild x");
  }
  for (const std::string& fault : faults) {
    SCOPED_TRACE(fault);
    must(index().begin_load(board_));
    const ModelBoard as_read = ledger_;  // the loader read the ledger before the two changes
    ASSERT_TRUE(submit(other(), "late", ledger_.entries().front().standing.points + 1).value());
    ASSERT_TRUE(other().erase(board_, {&gone, 1}));
    ledger_.erase("p0");
    admin(fault);
    EXPECT_EQ(code_of(finish_load(index(), board_, as_read)), Code::conflict);
    expect_right();
    must(reload(index(), board_, ledger_));
    expect_right();
    ASSERT_TRUE(submit(index(), "p0", 10).value());
  }
}

TEST_P(Strangers, AMetaThatCannotBeReadIsALostBoard) {
  load_some();
  for (const char* const fault : {"HSET lb:{s12}:meta seq x", "HDEL lb:{s12}:meta seq", "HSET lb:{s12}:meta players x",
                                  "HSET lb:{s12}:meta epoch x", "HDEL lb:{s12}:meta run_id"}) {
    SCOPED_TRACE(fault);
    admin(fault);
    expect_lost_and_healed();
  }
}

// As many members as before, and not a standing: no count tells, and reading it does.
TEST_P(Strangers, AMemberThatNobodyHereCanHaveWrittenIsALostBoard) {
  for (const char* const score : {"inf", "-inf", "1.5", "1e300"}) {
    SCOPED_TRACE(score);
    load_some();
    const auto member = ask_server(server_->port(), {"ZRANGE", "lb:{s12}", "3", "3"}).elements.front().text;
    ask_server(server_->port(), {"ZADD", "lb:{s12}", score, member});
    EXPECT_EQ(code_of(index().range(board_, 1, 10)), Code::not_ready);
    expect_lost_and_healed();
  }
}

}  // namespace
}  // namespace scoreline::test
