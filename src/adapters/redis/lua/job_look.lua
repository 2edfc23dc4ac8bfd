-- ARGV: `find` ID, `peek`, `position` ID, or `stats`.
-- Returns: of find and peek id, record, payload, or nothing; of position how many are ahead, how many are taken a
-- second, and whether it is paused, or nothing; of stats the counts of states, for how many ms the oldest has been
-- ready, whether it is paused, the counts, two rates, and bytes of memory.

local verb, id = ARGV[FIRST], ARGV[FIRST + 1]
upkeep()

local function shown(of)
  local record = of and redis.call('HGET', JOBS, of)
  if not record then return {} end
  return { of, seen(record), redis.call('HGET', PAYLOADS, of) or '' }
end

local function due_of(priority) return redis.call('ZLEXCOUNT', DELAYED, begin_of(priority), due_end(priority)) end

local function text_of(number) return string.format('%.17g', number) end

local look = {}
function look.find() return shown(id) end

function look.peek()
  local _, _, member = first(fronts(1), any)
  return shown(member and string.sub(member, ID_IN_PLACE))
end

-- Counts, in each priority, the jobs before it: those that have reached a better level than its own, and those of its
-- level that are older. Both are a beginning of the line.
local function ahead_of(job)
  local level = level_of(job.priority, place_of(job))
  -- Until which time of becoming ready a job of `priority` has reached `wanted`.
  local function reached(priority, wanted)
    if priority <= wanted then return math.huge end
    return aging == 0 and -math.huge or now - (priority - wanted) * aging
  end
  local ahead = 0
  for priority = 0, 9 do
    local run_at, sequence = job.run_at, job.sequence
    local until_level = reached(priority, level) + 1
    if until_level <= run_at then run_at, sequence = until_level, 0 end
    if level > 0 then
      local until_better = reached(priority, level - 1) + 1
      if until_better > run_at then run_at, sequence = until_better, 0 end
    end
    if run_at == math.huge then run_at = 281474976710655 end
    if run_at > 0 then
      ahead = ahead + redis.call('ZLEXCOUNT', READY, begin_of(priority), '(' .. bound(priority, run_at, sequence))
      if run_at > now then run_at, sequence = now + 1, 0 end
      ahead = ahead + redis.call('ZLEXCOUNT', DELAYED, begin_of(priority), '(' .. bound(priority, run_at, sequence))
    end
  end
  return ahead
end

function look.position()
  local record = redis.call('HGET', JOBS, id)
  if not record or string.byte(seen(record)) ~= STATE_READY then return {} end
  return { ahead_of(job_of(id, record)), text_of(rate_of(TAKEN_RATE)), paused and 1 or 0 }
end

function look.stats()
  local due, oldest = 0, now
  for priority = 0, 9 do
    due = due + due_of(priority)
    for _, line in ipairs({ READY, DELAYED }) do
      local front = redis.call('ZRANGEBYLEX', line, begin_of(priority), end_of(priority), 'LIMIT', 0, 1)[1]
      if front then oldest = math.min(oldest, (struct.unpack('>I6', front, 2))) end
    end
  end
  local bytes = 0
  for _, key in ipairs(KEYS) do
    local used = redis.pcall('MEMORY', 'USAGE', key)
    if type(used) == 'number' then bytes = bytes + used end
  end
  local answer = { redis.call('ZCARD', READY) + due, redis.call('ZCARD', DELAYED) - due, redis.call('ZCARD', LEASED),
    redis.call('ZCARD', DEAD), redis.call('ZCARD', DONE), now - oldest, paused and 1 or 0 }
  for what = ENQUEUED, EXPIRED do answer[#answer + 1] = counts[what] end
  answer[#answer + 1] = text_of(rate_of(ENQUEUED_RATE))
  answer[#answer + 1] = text_of(rate_of(TAKEN_RATE))
  answer[#answer + 1] = bytes
  return answer
end

return look[verb]()
