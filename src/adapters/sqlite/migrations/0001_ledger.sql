-- The ledger: every result (match_results) and what is known about its leaderboards.
-- Each change of any of these tables but `batches` is sealed by one row of `batches`.
PRAGMA application_id = 0x53434C4E;

CREATE TABLE match_results(
  leaderboard TEXT NOT NULL,
  match_id BLOB NOT NULL CHECK (length(match_id) = 16),
  player_id TEXT NOT NULL,
  season_id INTEGER NOT NULL,
  points INTEGER NOT NULL,       -- in units of 10^-scale of the leaderboard
  achieved_at INTEGER NOT NULL,  -- milliseconds since 1970-01-01T00:00:00Z
  batch INTEGER NOT NULL,        -- batches.seq of the append that brought it
  by_player INTEGER NOT NULL,    -- 1: also in the index by player; see there
  PRIMARY KEY (leaderboard, match_id, player_id)
) STRICT, WITHOUT ROWID;

-- Only of leaderboards whose rule is sum: there the writer asks for one player's results. An entry for every result
-- would cost more than half of the speed with random match ids, and three quarters with ids in order of time.
CREATE INDEX match_results_by_player ON match_results(leaderboard, season_id, player_id, by_player)
  WHERE by_player = 1;

CREATE TABLE leaderboards(
  name TEXT NOT NULL PRIMARY KEY,
  rule TEXT NOT NULL,
  "order" TEXT NOT NULL,
  scale INTEGER NOT NULL,
  ties TEXT NOT NULL,
  key TEXT NOT NULL,
  min_points INTEGER NOT NULL,
  max_points INTEGER NOT NULL,
  grace INTEGER NOT NULL,        -- milliseconds
  top INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE seasons(
  leaderboard TEXT NOT NULL REFERENCES leaderboards(name),
  season_id INTEGER NOT NULL,
  start_at INTEGER,              -- milliseconds since 1970-01-01T00:00:00Z
  end_at INTEGER,
  PRIMARY KEY (leaderboard, season_id)
) STRICT, WITHOUT ROWID;

-- A tombstone: results of the player recorded in batches up to this one never count again.
CREATE TABLE erasures(
  leaderboard TEXT NOT NULL,
  player_id TEXT NOT NULL,
  up_to_batch INTEGER NOT NULL,
  PRIMARY KEY (leaderboard, player_id)
) STRICT, WITHOUT ROWID;

-- One row a change. rows: by how many match_results grew; rows_hash: by how much the sum (mod 2^64) of the hashes of
-- all rows of the tables above grew; chain: a hash of the previous chain and of this row.
CREATE TABLE batches(
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  rows INTEGER NOT NULL,
  rows_hash INTEGER NOT NULL,
  chain INTEGER NOT NULL
) STRICT;
