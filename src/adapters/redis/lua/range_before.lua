-- What is right before a place, whether or not anybody stands there.
-- ARGV: 5 the place's score, 6 its member, 7 how many to read. Returns: as range.

local place = span(BOARD, ARGV[5], ARGV[6], true)
local count = math.min(place, tonumber(ARGV[7]))
return page(place - count, count)
