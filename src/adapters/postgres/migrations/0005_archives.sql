-- Seasons that are no longer open. generation: grows when a player is erased while the archive is written.
CREATE TABLE closings(
  leaderboard text COLLATE "C" NOT NULL,
  season_id integer NOT NULL,
  archive integer GENERATED ALWAYS AS IDENTITY UNIQUE,  -- also the number of the lock of who writes it
  state text NOT NULL,                   -- closing, closed
  generation bigint NOT NULL DEFAULT 0,
  players bigint NOT NULL DEFAULT 0,
  anonymous bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (leaderboard, season_id),
  FOREIGN KEY (leaderboard, season_id) REFERENCES seasons(leaderboard, season_id)
);

-- Final standings, in order. Those of a season that is closing are not finished, and are seen by nobody.
CREATE TABLE archives(
  archive integer NOT NULL,
  position bigint NOT NULL,              -- from 1
  "rank" bigint NOT NULL,
  points bigint NOT NULL,
  achieved_at timestamptz NOT NULL,
  extra bigint NOT NULL,                 -- criteria beside the points, packed
  player_id text COLLATE "C",            -- NULL: erased
  PRIMARY KEY (archive, position)
);

-- The same by player; written in the order of its key, which an index of `archives` could not be.
CREATE TABLE archived_players(
  archive integer NOT NULL,
  position bigint NOT NULL,
  player_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (archive, player_id)
);
