-- Begins every script: which board, and whether it may be believed.
--
-- KEYS  1 the board (sorted set)
--       2 its meta (hash)
--       3 what is kept beside it per player (hash): the member's prefix on wide boards, how many results made the total
--         on boards of sums. Packed boards of other rules have none.
--       4 with ties `dense` the distinct classes of its players (sorted set); see ranking.lua
--       5, 6, 7 the same as 1, 3 and 4 of a load under way; 8 the players erased since it began (set). Only for scripts
--         that change something.
-- ARGV  1 epoch: the ledger that boards must come from
--       2 the server's run id, as the node knows it
--       3 spec: rule, order, ties, key kind, and what else decides what the numbers mean
--       4 the greatest seq of the board that the node has seen
--       then what the script takes

local BOARD, META, BESIDE, CLASSES, SIDE, SIDE_BESIDE, SIDE_CLASSES, ERASED = unpack(KEYS)
local epoch, run_id, spec, seen = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local rule, order, ties, kind = string.match(spec, '^(%a+) (%a+) (%a+) (%a+)')
local wide = kind == 'wide'
-- The criteria after the points take eight bytes of a wide member's prefix.
local has_criteria = wide and string.find(spec, ' criteria ', 1, true) ~= nil
local prefix_bytes = not wide and 0 or has_criteria and 16 or 8
local dense = ties == 'dense'
local has_beside = wide or rule == 'sum'
local rank_command = order == 'desc' and 'ZREVRANK' or 'ZRANK'
local range_command = order == 'desc' and 'ZREVRANGE' or 'ZRANGE'

-- 16 digits: Lua by itself would write 14.
local function text_of(number) return string.format('%.0f', number) end

-- Values go in pieces, because Lua's stack does not take any number of them. A multiple of all that belongs together:
-- pairs, threes and fours.
local piece = 3600

-- The replies of `command key value…` to all values, in their order.
local function many(command, key, values)
  if #values == 0 then return {} end
  local replies = redis.call(command, key, unpack(values, 1, math.min(piece, #values)))
  for at = piece + 1, #values, piece do
    local more = redis.call(command, key, unpack(values, at, math.min(at + piece - 1, #values)))
    for i = 1, type(more) == 'table' and #more or 0 do replies[#replies + 1] = more[i] end
  end
  return replies
end

local function count(command, key)
  local reply = redis.pcall(command, key)
  return type(reply) == 'number' and reply or nil  -- nil: a stranger put something else there
end

-- Whether the keys hold as much as the meta says: else they were deleted or written by a stranger.
local function is_whole(set, beside, classes, players, distinct)
  return count('ZCARD', set) == players and (not has_beside or count('HLEN', beside) == players) and
    (not dense or count('ZCARD', classes) == distinct)
end

local meta = redis.pcall('HMGET', META, 'epoch', 'spec', 'run_id', 'seq', 'players', 'classes')

-- The board's seq and number of players; nil and the reason when it must not be read.
local function current()
  if meta.err then return nil, 'something else is at its meta key' end
  if not meta[1] then return nil, 'it is not loaded' end
  if meta[1] ~= epoch then return nil, 'it was loaded from another ledger' end
  if meta[2] ~= spec then return nil, 'it was loaded under another definition' end
  if meta[3] ~= run_id then return nil, 'the server is another one, or was restarted' end
  local seq, players = tonumber(meta[4]), tonumber(meta[5])
  if not seq then return nil, 'its meta was written by somebody else' end
  if seq < seen then
    redis.call('HDEL', META, 'epoch')  -- so that the other nodes know
    return nil, 'the server went back in time'
  end
  if not is_whole(BOARD, BESIDE, CLASSES, players, tonumber(meta[6])) then
    return nil, 'keys of it are lost, or were written by somebody else'
  end
  return seq, players
end

local function stale(reason) return { 'stale', reason } end
