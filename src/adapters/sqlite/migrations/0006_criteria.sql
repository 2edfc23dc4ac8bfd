-- What players with the same points are compared by: a row for each criterion after the points, in turn. Sealed by
-- `batches`, as the leaderboards are.
CREATE TABLE criteria(
  leaderboard TEXT NOT NULL REFERENCES leaderboards(name),
  place INTEGER NOT NULL,        -- from 1
  name TEXT NOT NULL,
  "order" TEXT NOT NULL,
  scale INTEGER NOT NULL,
  min INTEGER NOT NULL,          -- in units of 10^-scale
  max INTEGER NOT NULL,
  PRIMARY KEY (leaderboard, place)
) STRICT, WITHOUT ROWID;

-- The criteria of a result, packed. 0 where there are none, and then no part of the row's hash: so rows that were there
-- before are sealed as they were.
ALTER TABLE match_results ADD COLUMN extra INTEGER NOT NULL DEFAULT 0;
