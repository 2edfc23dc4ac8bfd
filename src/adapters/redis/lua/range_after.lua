-- What follows a place, whether or not anybody stands there.
-- ARGV: 5 the place's score, 6 its member, 7 how many to read. Returns: as range.

local _, place = span(BOARD, ARGV[5], ARGV[6], true)
return page(place, tonumber(ARGV[7]))
