-- ARGV: 5 the loader's token, 6 after how many ms without a word of it another may load, 7 '1' to keep the load that
--       began under this token, 8 in how many ms the board goes, nothing when never.
-- Returns: 'begun'; or 'busy' and for how many ms at most; or 'lost', when there is nothing to keep.

local token, lease = ARGV[5], tonumber(ARGV[6])
if meta.err then
  redis.call('UNLINK', META)
  meta = {}
end
local now = now_us() / 1000
local holder = load_under_way()
if holder and holder ~= token then
  return { 'busy', math.ceil(tonumber(redis.call('HGET', META, 'rebuild_until')) - now) }
end
if not holder then
  if ARGV[7] == '1' then return { 'lost' } end
  end_load()
  redis.call('HSET', META, 'rebuild', token, 'rebuild_run', run_id, 'rebuild_for', rebuild_for, 'rebuild_players', 0,
    'rebuild_erased', 0)
end
redis.call('HSET', META, 'rebuild_until', text_of(now + lease))
if ARGV[8] ~= '' then redis.call('PEXPIRE', META, ARGV[8]) end
return { 'begun' }
