-- Begins every script of a queue: its keys, its clock, its options and counts.
--
-- KEYS  1 the queue (hash: options, counts, whether it is paused, until when somebody waits)
--       2 jobs (hash): id → all of a job but its payload, see RECORD
--       3 payloads (hash): id → payload
--       4, 5 ready and delayed (sorted sets, all scores 0): priority, run_at, sequence, id. So the order of the bytes
--         is the order of the queue, and none of the numbers has to fit into the 53 bits of a score.
--       6, 7, 8 leased, dead and done (sorted sets by the time in ms until or since when): sequence, id
--       9 schedules (hash)
-- ARGV  1 the options that the queue begins with, as `maxAttempts=10 …`; empty: only a queue that is there
--       2 the channel that wakes who waits
--       then what the script takes
--
-- A delayed job that has fallen due stays where it is and counts as ready, so that a million that fall due together
-- cost nothing. The same as queues/queue.h, which says more.

local META, JOBS, PAYLOADS, READY, DELAYED, LEASED, DEAD, DONE, SCHEDULES = unpack(KEYS)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local OPTIONS = '>I4I4I6I6I6I6I6I6I4I4I1I4I6I4I4'  -- those of queues/option_fields.h in their order, without durability
local COUNTS = '>I8I8I8I8I8I8I8I8I8I8I4I4I4I4I4I4I4I4I4I4I8I8ddI8I8dd'
-- Places in the counts: the last sequence, what only grows, how many of each priority are leased, and two rates.
local SEQUENCE, ENQUEUED, DUPLICATES, TAKEN, ACKED, NACKED = 1, 2, 3, 4, 5, 6
local CRASHED, DIED, EVICTED, EXPIRED = 7, 8, 9, 10
local LEASED_OF, ENQUEUED_RATE, TAKEN_RATE, COUNTED = 11, 21, 25, 28
local FIRST = 3  -- in ARGV, of what the script takes

local meta = redis.call('HMGET', META, 'packed', 'counts', 'paused', 'watched')
if not meta[1] then
  if ARGV[1] == '' then return { 'absent' } end
  local numbers, zeros = {}, {}
  for number in string.gmatch(ARGV[1], '=(%d+)') do numbers[#numbers + 1] = tonumber(number) end
  for i = 1, COUNTED do zeros[i] = 0 end
  meta[1], meta[2] = struct.pack(OPTIONS, unpack(numbers)), struct.pack(COUNTS, unpack(zeros))
  redis.call('HSET', META, 'options', ARGV[1], 'packed', meta[1], 'counts', meta[2])
end
local max_attempts, crash_limit, usual_lease, backoff, max_backoff, crash_backoff, dedup_for, aging, max_leased,
  reserved, reserved_for, max_dead, dead_for, max_payload, max_jobs = struct.unpack(OPTIONS, meta[1])
local counts = { struct.unpack(COUNTS, meta[2]) }
local paused = meta[3] == '1'
local watched = tonumber(meta[4] or 0)

local function save() redis.call('HSET', META, 'counts', struct.pack(COUNTS, unpack(counts, 1, COUNTED))) end

local function count(what, by) counts[what] = counts[what] + by end

-- The same as queues/rate.cpp.
local function fold(rate)
  local seconds = (now - counts[rate]) / 1000
  if seconds <= 0 then return end
  local kept = math.exp(-seconds / 20)
  counts[rate + 2] = counts[rate + 2] * kept + counts[rate + 1] / seconds * (1 - kept)
  counts[rate + 3] = counts[rate + 3] * kept + (1 - kept)
  counts[rate], counts[rate + 1] = now, 0
end

local function count_rate(rate, events)
  if counts[rate] == 0 then counts[rate] = now end
  if now - counts[rate] >= 1000 then fold(rate) end
  counts[rate + 1] = counts[rate + 1] + events
end

local function rate_of(rate)
  if counts[rate] > 0 then fold(rate) end
  return counts[rate + 3] > 0 and counts[rate + 2] / counts[rate + 3] or 0
end

-- Whoever waits has reason to look again. Nobody is told unless somebody waits. A user that may not publish costs
-- those who wait some time, and no call its answer.
local woken = false
local function wake()
  if woken or now >= watched then return end
  woken = true
  redis.pcall('PUBLISH', ARGV[2], META)
end

-- `command key value…`, in pieces that Lua's stack takes.
local function send(command, key, values)
  for at = 1, #values, 3600 do redis.call(command, key, unpack(values, at, math.min(at + 3599, #values))) end
end

-- A job. Its id and payload stand beside it.
local RECORD, RECORD_BYTES = '>BBBI2I2I2I4I8I6I6c8', 41
local STATE_READY, STATE_DELAYED, STATE_LEASED, STATE_DEAD, STATE_DONE = 0, 1, 2, 3, 4
local NO_RECEIPT = string.rep('\0', 8)

local function job_of(id, record)
  local job = { id = id, reason = string.sub(record, RECORD_BYTES + 1) }
  job.state, job.priority, job.cause, job.max_attempts, job.failures, job.crashes, job.lease, job.sequence, job.run_at,
    job.till, job.receipt = struct.unpack(RECORD, record)
  return job
end

-- Some of it without making a table of all: so much is done for each job of a batch.
local function state_in(record) return string.byte(record) end
local function priority_in(record) return string.byte(record, 2) end
local function timed_in(record, id) return string.sub(record, 14, 21) .. id end
local function run_at_in(record) return (struct.unpack('>I6', record, 22)) end
local function till_in(record) return (struct.unpack('>I6', record, 28)) end
local function receipt_in(record) return string.sub(record, 34, RECORD_BYTES) end
local function leased_as(record, lease, till, receipt)
  return string.char(STATE_LEASED) .. string.sub(record, 2, 9) .. struct.pack('>I4', lease) ..
    string.sub(record, 14, 27) .. struct.pack('>I6', till) .. receipt .. string.sub(record, RECORD_BYTES + 1)
end

local function record_of(job)
  return struct.pack(RECORD, job.state, job.priority, job.cause, job.max_attempts, job.failures, job.crashes, job.lease,
    job.sequence, job.run_at, job.till, job.receipt) .. job.reason
end

local function keep(job) redis.call('HSET', JOBS, job.id, record_of(job)) end

-- Members, and ends of ranges: `bound(p, t, s)` is the least member of priority p that is not before (t, s).
local function bound(priority, run_at, sequence)
  return string.char(48 + priority) .. struct.pack('>I6I8', run_at, sequence)
end
local function place_of(job) return bound(job.priority, job.run_at, job.sequence) .. job.id end
local function timed_of(job) return struct.pack('>I8', job.sequence) .. job.id end
local ID_IN_PLACE, ID_IN_TIMED = 16, 9

local function begin_of(priority) return '[' .. string.char(48 + priority) end
local function end_of(priority) return '(' .. string.char(49 + priority) end
-- Of the delayed jobs of a priority: where those end that have fallen due.
local function due_end(priority) return '(' .. bound(priority, now + 1, 0) end
