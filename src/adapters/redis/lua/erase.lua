-- ARGV: 5… players. Returns: seq, how many of them were on the board.

-- How many of the players a set had.
local function take_off(set, beside, classes)
  local taken = 0
  for i = 5, #ARGV do
    local id, member = ARGV[i], ARGV[i]
    if wide then
      local prefix = redis.call('HGET', beside, id)
      member = prefix and string.sub(prefix, 1, prefix_bytes) .. id
    end
    if member then
      local score = dense and redis.call('ZSCORE', set, member)
      taken = taken + redis.call('ZREM', set, member)
      if score then leave(set, classes, score, member) end
    end
    if has_beside then redis.call('HDEL', beside, id) end
  end
  return taken
end

if load_under_way() then
  take_off(SIDE, SIDE_BESIDE, SIDE_CLASSES)
  -- The loader may have read them from the ledger before.
  for i = 5, #ARGV do redis.call('SADD', ERASED, ARGV[i]) end
  side_changed()  -- behind them: only a key that is there can be told when to go
  redis.call('HSET', META, 'rebuild_erased', redis.call('SCARD', ERASED))
end

local seq, reason = current()
if not seq then return stale(reason) end
local taken = take_off(BOARD, BESIDE, CLASSES)
if taken > 0 then seq = board_changed() end
return { seq, taken }
