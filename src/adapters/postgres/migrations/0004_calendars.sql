-- The days, weeks and seasons of leaderboards that have any: a row where the definition says other than the defaults.

CREATE TABLE calendars(
  leaderboard text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES leaderboards(name),
  days boolean NOT NULL,                 -- a board for each day
  weeks boolean NOT NULL,                -- a board for each week
  time_zone text NOT NULL,
  week_start text NOT NULL,
  keep_days integer NOT NULL,
  keep_weeks integer NOT NULL,
  season_cron text,
  season_every bigint,                   -- milliseconds
  season_from timestamptz
);
