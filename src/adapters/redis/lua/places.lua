-- ARGV: 5 whether ranks are wanted ('1'), 6… players.
-- Returns: seq, players, then lists in the order of the players asked for, nil for who is absent: score, member, how
-- many ranks are above (empty when not wanted), and with ties `dense` how many players.

local ids = {}
for i = 6, #ARGV do ids[i - 5] = ARGV[i] end
local members = members_of(ids)
local present, place_of = {}, {}
for i, member in ipairs(members) do
  if member then
    present[#present + 1] = member
    place_of[#present] = i
  end
end
local scores, above = {}, {}
for i = 1, #ids do scores[i] = false end
for i, score in ipairs(many('ZMSCORE', BOARD, present)) do scores[place_of[i]] = score end
if ARGV[5] == '1' then
  for i = 1, #ids do above[i] = scores[i] and rank_of(members[i], scores[i]) end
end
local higher = {}
if dense and ARGV[5] == '1' then
  for i = 1, #ids do higher[i] = scores[i] and class_span(BOARD, scores[i], members[i]) end
end
return { seq, players, scores, members, above, higher }
