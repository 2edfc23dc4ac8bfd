-- ARGV: 5 whether ranks are wanted ('1'), 6… offers.
-- Returns: seq, then in the order of the offers what the board kept of their players before: scores (one text, parted
-- by spaces; nothing where the player was not there), and lists of what stood beside and,
-- when ranks are wanted, of how many ranked above the player before, and how many do now (nil: not there).
-- A board that is not current is not written, but a load under way takes the offers: it may have read the ledger before
-- they came.

local first = 6
if load_under_way() then
  take_unread(SIDE, SIDE_BESIDE, SIDE_CLASSES, ARGV, first)
  side_changed()
end

local seq, reason = current()
if not seq then return stale(reason) end

local kept = read_kept(BOARD, BESIDE, ARGV, first)
local function ranks()
  local above = {}
  if ARGV[5] == '1' then
    for i, member in ipairs(kept.members) do above[i] = rank_of(member) end
  end
  return above
end

local before = ranks()
local changed = better and take_better(BOARD, ARGV, first, kept) or take_compared(BOARD, BESIDE, CLASSES, ARGV, first, kept)
if changed > 0 then seq = board_changed() end
for i, score in ipairs(kept.scores) do kept.scores[i] = score or '' end
return { seq, table.concat(kept.scores, ' '), kept.beside, before, ranks() }
