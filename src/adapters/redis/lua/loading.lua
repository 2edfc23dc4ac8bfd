-- For scripts that change something: the load under way, which takes part in every change.
--
-- It lives in the meta: `rebuild` the loader's token, `rebuild_until` when the loader counts as gone (ms of this
-- server's clock), `rebuild_run` and `rebuild_for` what the board is to be loaded for, `rebuild_players` how many the
-- side keys hold, `rebuild_classes` how many classes with ties `dense`, `rebuild_erased` how many were erased.

local rebuild_fields = { 'rebuild', 'rebuild_until', 'rebuild_run', 'rebuild_for', 'rebuild_players',
  'rebuild_erased', 'rebuild_classes' }
local rebuild_for = epoch .. ' ' .. spec

local function now_us()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function end_load()
  redis.call('HDEL', META, unpack(rebuild_fields))
  redis.call('UNLINK', SIDE, SIDE_BESIDE, SIDE_CLASSES, ERASED)
end

-- The token of the load under way, nil when there is none. One that lost its loader, its keys or its server is over.
local function load_under_way()
  if meta.err then return nil end
  local load = redis.call('HMGET', META, unpack(rebuild_fields))
  local token = load[1]
  if not token then return nil end
  if load[3] == run_id and load[4] == rebuild_for and now_us() < (tonumber(load[2]) or 0) * 1000 and
      is_whole(SIDE, SIDE_BESIDE, SIDE_CLASSES, tonumber(load[5]), tonumber(load[7]) or 0) and
      count('SCARD', ERASED) == tonumber(load[6]) then
    return token
  end
  end_load()
  return nil
end

-- Boards of days and weeks go some time after their end: the meta carries when, and all keys go with it.
local function live_as_long_as_meta(...)
  local ttl = redis.call('PTTL', META)
  if ttl < 0 then return end
  for _, key in ipairs({ ... }) do redis.call('PEXPIRE', key, math.max(ttl, 1)) end
end

local function side_changed()
  redis.call('HSET', META, 'rebuild_players', redis.call('ZCARD', SIDE))
  if dense then redis.call('HSET', META, 'rebuild_classes', redis.call('ZCARD', SIDE_CLASSES)) end
  live_as_long_as_meta(SIDE, SIDE_BESIDE, SIDE_CLASSES, ERASED)
end

-- Returns the new seq.
local function board_changed()
  redis.call('HSET', META, 'players', redis.call('ZCARD', BOARD))
  if dense then redis.call('HSET', META, 'classes', redis.call('ZCARD', CLASSES)) end
  live_as_long_as_meta(BOARD, BESIDE, CLASSES)
  return redis.call('HINCRBY', META, 'seq', 1)
end
