-- Which transaction wrote a line: what a process that is gone may not have heard of. Lines that are there are too old.
ALTER TABLE audit_log ADD COLUMN tx bigint NOT NULL DEFAULT 0;
ALTER TABLE audit_log ALTER COLUMN tx SET DEFAULT pg_current_xact_id()::text::bigint;
