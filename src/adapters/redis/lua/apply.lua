-- ARGV: 5 whether ranks are wanted ('1'), 6… offers.
-- Returns: seq, then three lists in the order of the offers: what `decide` says, and when ranks are wanted how many
-- rank above the player now, and how many did before (nil: the player was not there).
-- A board that is not current is not written, but a load under way takes the offers: it may have read the ledger before
-- they came.

local first = 6
local ids, place_of = offered_players(first)

if load_under_way() then
  local side = read_standings(SIDE, SIDE_BESIDE, ids)
  decide(side, place_of, first)
  write_standings(SIDE, SIDE_BESIDE, side)
  side_changed()
end

local seq, reason = current()
if not seq then return stale(reason) end

local at = read_standings(BOARD, BESIDE, ids)
local function ranks()
  local above = {}
  for i = 1, #ids do above[i] = at.scores[i] and redis.call(rank_command, BOARD, at.members[i]) or false end
  local lists = {}
  for offer = first, #ARGV, stride do lists[#lists + 1] = above[place_of[ARGV[offer]]] end
  return lists
end

local tell = ARGV[5] == '1'
local before = tell and ranks() or {}
local answers = decide(at, place_of, first)
write_standings(BOARD, BESIDE, at)
if at.any_changed then seq = board_changed() end
return { seq, answers, tell and ranks() or {}, before }
