-- ARGV: 5 whether the numbers are ranks ('1') or positions, 6… the numbers, from 1.
-- Returns: seq, players, for each number the entry there: member, score, how many ranks are above; nil beyond the last.

local found = {}
for at = 6, #ARGV do
  local skip = tonumber(ARGV[at]) - 1
  if dense and ARGV[5] == '1' then
    local class = redis.call(range_command, CLASSES, skip, skip, 'WITHSCORES')
    skip = class[1] and class_span(BOARD, score_of_class(class[2]), class[1]) or players
  end
  local entry = entries(skip, 1)
  found[at - 5] = entry[1] and { entry[1], entry[2], rank_of(entry[1], entry[2]) } or false
end
return { seq, players, found }
