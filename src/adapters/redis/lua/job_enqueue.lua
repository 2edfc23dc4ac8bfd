-- ARGV: jobs, five words each, see job_adding.lua.
-- Returns: what that says.

return add_jobs(FIRST)
