-- ARGV: what is done with the leases: `ack`, `nack`, `extend`, `release`; how long in ms (nothing: as the queue says;
-- for release: to its place); a reason; a number for chance; then leases: id, receipt.
-- Returns: for each lease -1 when it is lost, else what became of it: 0 of ack, the new state of nack and release, the
-- new deadline of extend.

local verb, span, reason = ARGV[FIRST], tonumber(ARGV[FIRST + 1]), ARGV[FIRST + 2]
math.randomseed(tonumber(ARGV[FIRST + 3]))
local first_lease = FIRST + 4
local ids = {}
for at = first_lease, #ARGV, 2 do ids[#ids + 1] = ARGV[at] end
local records = redis.call('HMGET', JOBS, unpack(ids))
local kept = {}  -- by id, as it is by now
for i, id in ipairs(ids) do kept[id] = records[i] or nil end

-- Half of it is certain, half is chance, so that jobs that failed together do not come again together.
local function backoff_after(failures)
  local delay, i = backoff, 1
  while i < failures and delay < max_backoff do
    delay, i = delay * 2, i + 1
  end
  delay = math.min(delay, max_backoff)
  return delay - math.floor(math.random() * (math.floor(delay / 2) + 1))
end

local what = {}
function what.ack(job)
  count(ACKED, 1)
  end_lease(job)
  finish(job)
  return 0
end

function what.nack(job)
  end_lease(job)
  count(NACKED, 1)
  job.failures = job.failures + 1
  job.reason = reason
  if job.failures >= job.max_attempts then
    bury(job, 1)
  else
    place(job, now + (span or backoff_after(job.failures)))
  end
  return job.state
end

function what.extend(job)
  local lease = span or usual_lease
  if now + lease < job.till then wake() end  -- who waits for its end must hear of it
  job.lease, job.till = lease, now + lease
  redis.call('ZREM', LEASED, timed_of(job))  -- a server without memory refuses what adds, when it comes first
  redis.call('ZADD', LEASED, job.till, timed_of(job))
  keep(job)
  return job.till
end

function what.release(job)
  end_lease(job)
  if span and span > 0 then
    place(job, now + span)
    return job.state
  end
  job.state, job.till, job.lease, job.receipt = STATE_READY, 0, 0, NO_RECEIPT
  redis.call('ZADD', READY, 0, place_of(job))
  backs[job.priority] = nil
  keep(job)
  wake()
  return job.state
end

-- Acks are many, and what they do to a job is little: without a dedup window it goes out together.
local ended, gone = {}, {}
local function let_go(id, record)
  count(ACKED, 1)
  count(LEASED_OF + priority_in(record), -1)
  ended[#ended + 1] = timed_in(record, id)
  gone[#gone + 1] = id
  kept[id] = nil
  return 0
end

local function change(id, record)
  if verb == 'ack' and dedup_for == 0 then return let_go(id, record) end
  local job = job_of(id, record)
  local answer = what[verb](job)
  kept[id] = record_of(job)
  return answer
end

local answers, any_held = {}, false
for at = first_lease, #ARGV, 2 do
  local id = ARGV[at]
  local record = kept[id]
  local held = record and state_in(record) == STATE_LEASED and receipt_in(record) == ARGV[at + 1] and
    now < till_in(record)
  answers[#answers + 1] = held and change(id, record) or -1
  any_held = any_held or held
end
if #gone > 0 then
  send('ZREM', LEASED, ended)
  send('HDEL', JOBS, gone)
  send('HDEL', PAYLOADS, gone)
  if max_leased > 0 then wake() end
end
if any_held then save() end
return answers
