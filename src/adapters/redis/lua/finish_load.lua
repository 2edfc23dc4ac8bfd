-- Puts the loaded keys in place of the board's: readers see the old board or the new one.
-- ARGV: 5 the loader's token. Returns: seq, or 'lost' when the load is not its any more.

if load_under_way() ~= ARGV[5] then return { 'lost' } end
-- Greater than any seq that a node may remember, even if the server has forgotten it: writes are slower than the clock.
local seq = math.max(now_us(), seen + 1, (tonumber(meta[4]) or 0) + 1)
local players = redis.call('ZCARD', SIDE)
redis.call('UNLINK', BOARD, BESIDE, CLASSES)
if players > 0 then
  redis.call('RENAME', SIDE, BOARD)
  if has_beside then redis.call('RENAME', SIDE_BESIDE, BESIDE) end
  if dense then redis.call('RENAME', SIDE_CLASSES, CLASSES) end
end
end_load()
redis.call('HSET', META, 'epoch', epoch, 'spec', spec, 'run_id', run_id, 'seq', text_of(seq), 'players', players)
if dense then redis.call('HSET', META, 'classes', redis.call('ZCARD', CLASSES)) end
live_as_long_as_meta(BOARD, BESIDE, CLASSES)
return { seq }
