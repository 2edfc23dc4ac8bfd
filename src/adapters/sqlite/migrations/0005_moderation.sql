-- Who is hidden: none of the player's results counts while the row is there.
CREATE TABLE hidden_players(
  leaderboard TEXT NOT NULL REFERENCES leaderboards(name),
  player_id TEXT NOT NULL,
  hidden_at INTEGER NOT NULL,    -- milliseconds since 1970-01-01T00:00:00Z
  reason TEXT NOT NULL,
  PRIMARY KEY (leaderboard, player_id)
) STRICT, WITHOUT ROWID;

-- Matches of which no result counts, and whose ids stay taken.
CREATE TABLE voided_matches(
  leaderboard TEXT NOT NULL,
  match_id BLOB NOT NULL CHECK (length(match_id) = 16),
  PRIMARY KEY (leaderboard, match_id)
) STRICT, WITHOUT ROWID;

-- What was done, by whom and why.
CREATE TABLE audit_log(
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
  at INTEGER NOT NULL,                   -- milliseconds since 1970-01-01T00:00:00Z
  action TEXT NOT NULL,
  leaderboard TEXT NOT NULL,
  season_id INTEGER,
  player_id TEXT,
  match_id BLOB,
  by TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
