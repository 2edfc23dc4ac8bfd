-- Messages that could not be taken, until somebody has looked after them.

CREATE TABLE dead_letters(
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition integer NOT NULL,
  "offset" bigint NOT NULL,
  sent_at bigint,                        -- milliseconds since 1970, as the message says: any number; NULL: it does not
  added_at timestamptz NOT NULL,
  size bigint NOT NULL,                  -- bytes of the whole value
  topic text COLLATE "C" NOT NULL,
  value bytea,                           -- its first bytes; NULL: a null value
  code text NOT NULL,                    -- why it could not be taken
  detail text NOT NULL,
  field text NOT NULL,
  UNIQUE (topic, partition, "offset", sent_at)
);

-- No NULL is equal to another one.
CREATE UNIQUE INDEX dead_letters_without_time ON dead_letters(topic, partition, "offset") WHERE sent_at IS NULL;
