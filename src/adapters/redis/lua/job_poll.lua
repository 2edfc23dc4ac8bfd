-- ARGV: `due`: the delayed job that fell due first, whatever its priority; else the first of all.
-- Returns: id, record and payload of a job that is handed over and forgotten; nothing when there is none.

upkeep()
if paused then return {} end

local line, is_due, member = nil, true, nil
local lines = fronts(1)
if ARGV[FIRST] == 'due' then
  for priority = 0, 9 do
    local due = lines[priority].due[1]
    if due and (not member or string.sub(due, 2) < string.sub(member, 2)) then member = due end
  end
else
  line, is_due, member = first(lines, any)
end
if not member then return {} end

local id = string.sub(member, ID_IN_PLACE)
redis.call('ZREM', is_due and DELAYED or READY, member)
local record = redis.call('HGET', JOBS, id)
if not record then return {} end
local payload = redis.call('HGET', PAYLOADS, id) or ''
finish(job_of(id, record))
count(TAKEN, 1)
count_rate(TAKEN_RATE, 1)
save()
return { id, record, payload }
