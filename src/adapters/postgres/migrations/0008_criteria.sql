-- What players with the same points are compared by: a row for each criterion after the points, in turn.
CREATE TABLE criteria(
  leaderboard text COLLATE "C" NOT NULL REFERENCES leaderboards(name),
  place integer NOT NULL,                -- from 1
  name text NOT NULL,
  "order" text NOT NULL,
  scale integer NOT NULL,
  min bigint NOT NULL,                   -- in units of 10^-scale
  max bigint NOT NULL,
  PRIMARY KEY (leaderboard, place)
);

-- The criteria of a result, packed; 0 where there are none.
ALTER TABLE match_results ADD COLUMN extra bigint NOT NULL DEFAULT 0;
