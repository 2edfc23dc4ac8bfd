-- The ledger: every result (match_results) and what is known about its leaderboards.

CREATE TABLE match_results(
  match_id uuid NOT NULL,
  points bigint NOT NULL,                -- in units of 10^-scale of the leaderboard
  achieved_at timestamptz NOT NULL,
  tx bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,  -- the transaction that recorded it
  season_id integer NOT NULL,
  erased boolean NOT NULL DEFAULT false, -- true: recorded, and never counts again
  by_player boolean NOT NULL,            -- true: also in the index by player; see there
  leaderboard text COLLATE "C" NOT NULL,
  player_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (leaderboard, match_id, player_id)
);

-- Only of leaderboards whose rule is sum: there the results of single players are asked for. An entry for every result
-- would cost a third of the speed.
CREATE INDEX match_results_by_player ON match_results(leaderboard, season_id, player_id) WHERE by_player;

-- What was recorded since a transaction. Rows lie in the order they came in, so a range per block is enough; blocks
-- that have no range yet are the newest, and are always read.
CREATE INDEX match_results_by_tx ON match_results USING brin (tx) WITH (autosummarize = on, pages_per_range = 32);

CREATE TABLE leaderboards(
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  rule text NOT NULL,
  "order" text NOT NULL,
  scale integer NOT NULL,
  ties text NOT NULL,
  key text NOT NULL,
  min_points bigint NOT NULL,
  max_points bigint NOT NULL,
  grace bigint NOT NULL,                 -- milliseconds
  top integer NOT NULL
);

CREATE TABLE seasons(
  leaderboard text COLLATE "C" NOT NULL REFERENCES leaderboards(name),
  season_id integer NOT NULL,
  start_at timestamptz,
  end_at timestamptz,
  PRIMARY KEY (leaderboard, season_id)
);

-- One row. identity: which ledger this is; definitions_version: grows with every change of leaderboards or seasons.
CREATE TABLE ledger(
  one boolean NOT NULL DEFAULT true PRIMARY KEY CHECK (one),
  identity uuid NOT NULL DEFAULT gen_random_uuid(),
  schema_version bigint NOT NULL DEFAULT 0,
  definitions_version bigint NOT NULL DEFAULT 0
);
INSERT INTO ledger DEFAULT VALUES;
