-- Seasons that are no longer open. checksum: the sum (mod 2^64) of the hashes of its archive's rows, so that sealing
-- this row seals them all. generation: grows when a player is erased while the archive is written.
CREATE TABLE closings(
  leaderboard TEXT NOT NULL,
  season_id INTEGER NOT NULL,
  archive INTEGER NOT NULL UNIQUE,
  state TEXT NOT NULL,           -- closing, closed
  generation INTEGER NOT NULL,
  players INTEGER NOT NULL,
  anonymous INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (leaderboard, season_id),
  FOREIGN KEY (leaderboard, season_id) REFERENCES seasons(leaderboard, season_id)
) STRICT, WITHOUT ROWID;

-- Final standings, in order. Those of a season that is closing are not finished, and are seen by nobody.
CREATE TABLE archives(
  archive INTEGER NOT NULL,
  position INTEGER NOT NULL,     -- from 1
  "rank" INTEGER NOT NULL,
  player_id TEXT,                -- NULL: erased
  points INTEGER NOT NULL,
  achieved_at INTEGER NOT NULL,  -- milliseconds since 1970-01-01T00:00:00Z
  extra INTEGER NOT NULL,        -- criteria beside the points, packed
  PRIMARY KEY (archive, position)
) STRICT, WITHOUT ROWID;

-- The same by player; written in the order of its key, which an index of `archives` could not be.
CREATE TABLE archived_players(
  archive INTEGER NOT NULL,
  player_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (archive, player_id)
) STRICT, WITHOUT ROWID;
