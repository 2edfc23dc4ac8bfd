-- ARGV: 5 how many to pass over, 6 how many to read.
-- Returns: seq, players, how many were passed over, the entries: member, score, member, score …, and where equals share
-- ranks how many ranks are above the first entry's.

return page(tonumber(ARGV[5]), tonumber(ARGV[6]))
