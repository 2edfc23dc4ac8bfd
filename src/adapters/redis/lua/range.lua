-- ARGV: 5 how many to pass over, 6 how many to read.
-- Returns: seq, players, how many were passed over, then the entries: member, score, member, score …

local skip = tonumber(ARGV[5])
return { seq, players, skip, entries(skip, tonumber(ARGV[6])) }
