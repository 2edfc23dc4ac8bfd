-- Some of the standings that the loader read from the ledger; what was applied since may be better.
-- ARGV: 5 the loader's token, 6 its lease in ms, 7… offers.
-- Returns: 'kept', or 'lost' when the load is not its any more.

if load_under_way() ~= ARGV[5] then return { 'lost' } end
redis.call('HSET', META, 'rebuild_until', text_of(now_us() / 1000 + tonumber(ARGV[6])))
local offers, first = ARGV, 7
if redis.call('EXISTS', ERASED) == 1 then
  offers, first = {}, 1
  for at = 7, #ARGV, stride do
    if redis.call('SISMEMBER', ERASED, ARGV[at + 1]) == 0 then
      for i = at, at + stride - 1 do offers[#offers + 1] = ARGV[i] end
    end
  end
end
take_unread(SIDE, SIDE_BESIDE, SIDE_CLASSES, offers, first)
side_changed()
return { 'kept' }
