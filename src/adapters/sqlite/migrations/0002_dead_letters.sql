-- Messages that could not be taken, until somebody has looked after them. They are no part of the ledger: `batches`
-- does not seal them.
CREATE TABLE dead_letters(
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  sent_at INTEGER,                       -- milliseconds since 1970-01-01T00:00:00Z, as the message says; NULL: it does not
  added_at INTEGER NOT NULL,             -- milliseconds since 1970-01-01T00:00:00Z
  value BLOB,                            -- its first bytes; NULL: a null value
  size INTEGER NOT NULL,                 -- bytes of the whole value
  code TEXT NOT NULL,                    -- why it could not be taken
  detail TEXT NOT NULL,
  field TEXT NOT NULL,
  UNIQUE (topic, partition, "offset", sent_at)
) STRICT;

-- No NULL is equal to another one.
CREATE UNIQUE INDEX dead_letters_without_time ON dead_letters(topic, partition, "offset") WHERE sent_at IS NULL;
