-- ARGV: 5… pairs of score and prefix of points. Returns: seq, players, how many have better points than each.

local above = {}
for at = 5, #ARGV, 2 do above[#above + 1] = span_of_points(ARGV[at], ARGV[at + 1]) end
return { seq, players, above }
