-- How a job goes from one state to another: for scripts that change something.

-- The last of the ready jobs of a priority, { run_at, sequence }; false: there is none.
local backs = {}
local function back_of(priority)
  if backs[priority] == nil then
    local last = redis.call('ZREVRANGEBYLEX', READY, end_of(priority), begin_of(priority), 'LIMIT', 0, 1)[1]
    backs[priority] = last and { struct.unpack('>I6I8', last, 2) } or false
  end
  return backs[priority]
end

-- Decides state and run_at of a job that stands nowhere: never before one that is ready already, whatever the clock
-- says, and however early it was enqueued.
local function settle(job, run_at)
  job.till, job.lease, job.receipt = 0, 0, NO_RECEIPT
  if run_at > now then
    job.state, job.run_at = STATE_DELAYED, run_at
    return DELAYED
  end
  job.state, job.run_at = STATE_READY, now
  local last = back_of(job.priority)
  if last then
    job.run_at = math.max(now, last[1])
    if job.run_at == last[1] and job.sequence < last[2] then job.run_at = job.run_at + 1 end
  end
  backs[job.priority] = { job.run_at, job.sequence }
  return READY
end

local function place(job, run_at)
  local line = settle(job, run_at)
  redis.call('ZADD', line, 0, place_of(job))
  keep(job)
  wake()
end

local function end_lease(job)
  redis.call('ZREM', LEASED, timed_of(job))
  count(LEASED_OF + job.priority, -1)
  if max_leased > 0 then wake() end
end

-- Of a job that stands nowhere.
local function forget(job)
  redis.call('HDEL', JOBS, job.id)
  redis.call('HDEL', PAYLOADS, job.id)
end

local function drop(job)
  if job.state == STATE_LEASED then
    end_lease(job)
  elseif job.state == STATE_READY then
    redis.call('ZREM', READY, place_of(job))
    backs[job.priority] = nil
  elseif job.state == STATE_DELAYED then
    redis.call('ZREM', DELAYED, place_of(job))
  else
    redis.call('ZREM', job.state == STATE_DEAD and DEAD or DONE, timed_of(job))
  end
  forget(job)
end

-- Of a job that stands nowhere.
local function finish(job)
  if dedup_for == 0 then return forget(job) end
  job.state, job.till, job.receipt, job.lease, job.reason = STATE_DONE, now + dedup_for, NO_RECEIPT, 0, ''
  redis.call('HDEL', PAYLOADS, job.id)
  redis.call('ZADD', DONE, job.till, timed_of(job))
  keep(job)
end

local function bury(job, cause)
  job.state, job.cause, job.till, job.receipt, job.lease = STATE_DEAD, cause, now, NO_RECEIPT, 0
  redis.call('ZADD', DEAD, now, timed_of(job))
  keep(job)
  count(DIED, 1)
  while redis.call('ZCARD', DEAD) > max_dead do
    local oldest = string.sub(redis.call('ZRANGE', DEAD, 0, 0)[1], ID_IN_TIMED)
    drop(job_of(oldest, redis.call('HGET', JOBS, oldest)))
    count(EVICTED, 1)
  end
end

local function lose(job)
  end_lease(job)
  count(CRASHED, 1)
  job.crashes = job.crashes + 1
  if job.crashes > crash_limit then return bury(job, 2) end
  place(job, now + crash_backoff)
end

local function each_until(line, time, limit, visit)
  local members = redis.call('ZRANGEBYSCORE', line, '-inf', time, 'LIMIT', 0, limit)
  for i = 1, #members do
    local id = string.sub(members[i], ID_IN_TIMED)
    local record = redis.call('HGET', JOBS, id)
    if record then visit(job_of(id, record)) else redis.call('ZREM', line, members[i]) end
  end
  return #members
end

-- Takes back leases that ran out, forgets ids whose window is over and dead jobs that are too old: a bounded number.
local function upkeep()
  local left = 64
  left = left - each_until(LEASED, now, left, lose)
  if left > 0 then left = left - each_until(DONE, now, left, drop) end
  if left > 0 then
    left = left - each_until(DEAD, now - dead_for, left, function(job)
      drop(job)
      count(EXPIRED, 1)
    end)
  end
  if left < 64 then save() end
end

-- Of a dead job.
local function revive(job)
  redis.call('ZREM', DEAD, timed_of(job))
  job.failures, job.crashes, job.cause = 0, 0, 0
  place(job, now)
end
