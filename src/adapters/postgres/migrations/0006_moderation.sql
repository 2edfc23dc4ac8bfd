-- Who is hidden: none of the player's results counts while the row is there.
CREATE TABLE hidden_players(
  leaderboard text COLLATE "C" NOT NULL REFERENCES leaderboards(name),
  player_id text COLLATE "C" NOT NULL,
  hidden_at timestamptz NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (leaderboard, player_id)
);

-- Matches of which no result counts, and whose ids stay taken. Those of their results that are recorded are `erased`.
CREATE TABLE voided_matches(
  match_id uuid NOT NULL,
  leaderboard text COLLATE "C" NOT NULL,
  PRIMARY KEY (leaderboard, match_id)
);

-- What was done, by whom and why. Whoever writes a line has locked the one row of `ledger` before: so the lines are
-- committed in the order of their ids.
CREATE TABLE audit_log(
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  season_id integer,
  match_id uuid,
  action text NOT NULL,
  leaderboard text COLLATE "C" NOT NULL,
  player_id text COLLATE "C",
  by text NOT NULL,
  detail text NOT NULL
);
