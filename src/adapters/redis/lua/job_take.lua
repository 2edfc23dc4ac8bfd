-- ARGV: until how many ms from now somebody waits if the last taker gets nothing (0: nobody); receipts, 8 bytes for
-- each job that is wanted; then takers, first come, first served: how many jobs, for how long in ms (nothing: as the
-- queue says).
-- Returns: in how many ms it is worth looking again (-1: never), then for each taker its jobs, three words each: id,
-- record, payload. Takers that it did not come to, because the answer is long already, are missing.

local watch, receipts = tonumber(ARGV[FIRST]), ARGV[FIRST + 1]
local most_bytes = 8 * 1024 * 1024  -- of payloads in one answer; the last job may go over it

upkeep()
local answers, taken, bytes = { -1 }, 0, 0
local from_ready, from_delayed, leased, jobs = {}, {}, {}, {}
local held, held_not_urgent = 0, 0
for priority = 0, 9 do
  held = held + counts[LEASED_OF + priority]
  if priority > reserved_for then held_not_urgent = held_not_urgent + counts[LEASED_OF + priority] end
end

local function may_lease(priority)
  if max_leased == 0 then return true end
  if held >= max_leased then return false end
  if reserved == 0 or priority <= reserved_for then return true end
  return held_not_urgent + reserved < max_leased
end

local lines = fronts(#receipts / 8)
local function lease_next(lease)
  local line, is_due, member = first(lines, may_lease)
  if not line then return end
  pop(line, is_due)
  local from = is_due and from_delayed or from_ready
  from[#from + 1] = member
  local id = string.sub(member, ID_IN_PLACE)
  local record = redis.call('HGET', JOBS, id)
  if not record then return lease_next(lease) end  -- it was deleted by a stranger
  local priority = priority_in(record)
  local kept = leased_as(record, lease, now + lease, string.sub(receipts, taken * 8 + 1, taken * 8 + 8))
  taken = taken + 1
  held = held + 1
  if priority > reserved_for then held_not_urgent = held_not_urgent + 1 end
  count(LEASED_OF + priority, 1)
  leased[#leased + 1] = now + lease
  leased[#leased + 1] = timed_in(record, id)
  jobs[#jobs + 1] = id
  jobs[#jobs + 1] = kept
  local payload = redis.call('HGET', PAYLOADS, id) or ''
  bytes = bytes + #payload
  return id, kept, payload
end

local empty = false
for at = FIRST + 2, #ARGV, 2 do
  if bytes > most_bytes then break end
  local got = {}
  local lease = tonumber(ARGV[at + 1]) or usual_lease
  for _ = 1, paused and 0 or tonumber(ARGV[at]) do
    if bytes > most_bytes then break end
    local id, record, payload = lease_next(lease)
    if not id then break end
    got[#got + 1] = id
    got[#got + 1] = record
    got[#got + 1] = payload
  end
  answers[#answers + 1] = got
  empty = #got == 0
end

if #from_ready + #from_delayed > 0 then
  -- What only removes comes first: so a server without memory lets jobs be worked off.
  send('ZREM', READY, from_ready)
  send('ZREM', DELAYED, from_delayed)
  send('ZADD', LEASED, leased)
  send('HSET', JOBS, jobs)
  count(TAKEN, taken)
  count_rate(TAKEN_RATE, taken)
  save()
end

if watch > 0 and empty then
  if watched < now + watch / 2 then redis.pcall('HSET', META, 'watched', now + watch) end
  local next_at = redis.call('ZRANGE', LEASED, 0, 0, 'WITHSCORES')[2]
  next_at = next_at and tonumber(next_at)
  if not paused and redis.call('ZCARD', DELAYED) > 0 then
    for priority = 0, 9 do
      local due = may_lease(priority) and
        redis.call('ZRANGEBYLEX', DELAYED, begin_of(priority), end_of(priority), 'LIMIT', 0, 1)[1]
      local run_at = due and struct.unpack('>I6', due, 2)
      if run_at and (not next_at or run_at < next_at) then next_at = run_at end
    end
  end
  if next_at then answers[1] = math.max(0, next_at - now) end
end
return answers
