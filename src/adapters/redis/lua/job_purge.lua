-- ARGV: `purge` STATE, or `retry`; how many jobs at most.
-- Returns: how many were dropped, or made ready; how many of that state are left.

local verb, state, limit = ARGV[FIRST], ARGV[FIRST + 1], tonumber(ARGV[FIRST + 2])

local members, at, left = {}, ID_IN_TIMED, 0
local function gather(line, from, to)
  left = left + redis.call('ZLEXCOUNT', line, from, to)
  if #members >= limit then return end
  for _, member in ipairs(redis.call('ZRANGEBYLEX', line, from, to, 'LIMIT', 0, limit - #members)) do
    members[#members + 1] = member
  end
end

if state == 'ready' or state == 'delayed' then
  at = ID_IN_PLACE
  for priority = 0, 9 do
    if state == 'ready' then
      gather(READY, begin_of(priority), end_of(priority))
      gather(DELAYED, begin_of(priority), due_end(priority))
    else
      gather(DELAYED, '[' .. bound(priority, now + 1, 0), end_of(priority))
    end
  end
else
  local line = ({ leased = LEASED, dead = DEAD, done = DONE })[state]
  left = redis.call('ZCARD', line)
  members = redis.call('ZRANGE', line, 0, limit - 1)
end

for _, member in ipairs(members) do
  local id = string.sub(member, at)
  local record = redis.call('HGET', JOBS, id)
  if record then
    local job = job_of(id, record)
    if verb == 'purge' then drop(job) else revive(job) end
  else
    for _, line in ipairs({ READY, DELAYED, LEASED, DEAD, DONE }) do redis.call('ZREM', line, member) end
  end
end
if #members > 0 then save() end
return { #members, left - #members }
