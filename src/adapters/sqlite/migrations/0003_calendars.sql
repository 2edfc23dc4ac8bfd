-- The days, weeks and seasons of leaderboards that have any: a row where the definition says other than the defaults.
-- Sealed by `batches`, as the leaderboards are.
CREATE TABLE calendars(
  leaderboard TEXT NOT NULL PRIMARY KEY REFERENCES leaderboards(name),
  days INTEGER NOT NULL,         -- 1: a board for each day
  weeks INTEGER NOT NULL,        -- 1: a board for each week
  time_zone TEXT NOT NULL,
  week_start TEXT NOT NULL,
  keep_days INTEGER NOT NULL,
  keep_weeks INTEGER NOT NULL,
  season_cron TEXT,
  season_every INTEGER,          -- milliseconds
  season_from INTEGER            -- milliseconds since 1970-01-01T00:00:00Z
) STRICT, WITHOUT ROWID;
