-- The entries of a range of points.
-- ARGV: 5, 6 the score and prefix of its best points, 7, 8 those of its worst, 9 how many to read.
-- Returns: as range, and how many there are in all.

local above = span_of_points(ARGV[5], ARGV[6])
local _, last = span_of_points(ARGV[7], ARGV[8])
local there = page(above, math.min(last - above, tonumber(ARGV[9])))
there[5] = there[5] or 0
there[6] = last - above
return there
