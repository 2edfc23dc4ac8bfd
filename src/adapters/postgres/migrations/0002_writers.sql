-- Who records results: one row for each session that did, under whose number the session holds an advisory lock until
-- it ends. A row without its lock is that of a session that is gone; what it recorded from `since` on may not be on the
-- boards yet. NULL: everything is.

CREATE TABLE writers(
  writer integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  since bigint
);
