-- Some of the standings that the loader read from the ledger; what was applied since may be better.
-- ARGV: 5 the loader's token, 6 its lease in ms, 7… offers. Returns: 'kept', or 'lost' when the load is not its any more.

local first = 7
if load_under_way() ~= ARGV[5] then return { 'lost' } end
redis.call('HSET', META, 'rebuild_until', text_of(now_us() / 1000 + tonumber(ARGV[6])))
local ids, place_of = offered_players(first)
local side = read_standings(SIDE, SIDE_BESIDE, ids)
decide(side, place_of, first)
if redis.call('EXISTS', ERASED) == 1 then
  for i, erased in ipairs((many('SMISMEMBER', ERASED, ids))) do
    if erased == 1 then side.changed[i], side.noted[i] = nil, nil end
  end
end
write_standings(SIDE, SIDE_BESIDE, side)
side_changed()
return { 'kept' }
