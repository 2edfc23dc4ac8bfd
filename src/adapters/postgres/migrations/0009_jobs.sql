-- Job queues: what they are set to, their schedules, and one row a job, updated in place until it is gone.

CREATE TABLE job_queues(
  number integer NOT NULL PRIMARY KEY,
  paused boolean NOT NULL,
  name text COLLATE "C" NOT NULL UNIQUE,
  options text NOT NULL                  -- name=value, durations in milliseconds; what is not named has its default
);

-- No index but the key, and room in each page: so a change of state is a change within its page (a HOT update).
CREATE TABLE jobs(
  sequence bigint NOT NULL,              -- says which one of its queue was enqueued first
  run_at bigint NOT NULL,                -- milliseconds since 1970: from when it stands in the order, and its place
  until bigint NOT NULL,                 -- as run_at; of a leased one its deadline, of a dead one since when it is
  receipt bigint NOT NULL,               -- of its lease, as 64 bits; 0: none
  queue integer NOT NULL,
  lease_ms integer NOT NULL,
  max_attempts smallint NOT NULL,
  failures smallint NOT NULL,            -- nacks so far
  crashes smallint NOT NULL,             -- leases that ran out so far
  state smallint NOT NULL,               -- 0 ready, 1 delayed, 2 leased, 3 dead, 4 done: only its id is taken still
  priority smallint NOT NULL,
  cause smallint NOT NULL,               -- of death: 0 none, 1 failed, 2 crash loop
  id text COLLATE "C" NOT NULL,
  reason bytea NOT NULL,                 -- of the last nack
  payload bytea NOT NULL,
  PRIMARY KEY (queue, sequence)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE job_schedules(
  last_tick bigint NOT NULL,             -- milliseconds since 1970; until its first tick, when it was made
  queue integer NOT NULL,
  max_attempts integer,                  -- NULL: as the queue says
  priority smallint NOT NULL,
  name text COLLATE "C" NOT NULL,
  cron text NOT NULL,
  time_zone text NOT NULL,
  payload bytea NOT NULL,
  PRIMARY KEY (queue, name)
);

-- Counts who has held the jobs: one process at a time, see postgres_job_ledger.h.
CREATE TABLE job_holder(epoch bigint NOT NULL);
INSERT INTO job_holder VALUES (0);
