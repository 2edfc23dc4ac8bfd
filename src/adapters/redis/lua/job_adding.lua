-- Putting jobs in, all or none. Five words of ARGV each: id, payload, priority, when (nothing: now; `+` and a delay in
-- ms; a time in ms), how often it may be tried (nothing: as the queue says).

local ready, delayed, jobs, payloads, states = {}, {}, {}, {}, {}

local function run_at_of(when)
  if when == '' then return now end
  if string.byte(when) == 43 then return now + tonumber(string.sub(when, 2)) end
  return math.max(now, tonumber(when))
end

local function add(at, run_at)
  count(SEQUENCE, 1)
  local job = { id = ARGV[at], priority = tonumber(ARGV[at + 2]), cause = 0, failures = 0, crashes = 0, reason = '',
    max_attempts = tonumber(ARGV[at + 4]) or max_attempts, sequence = counts[SEQUENCE] }
  local line = settle(job, run_at) == READY and ready or delayed
  line[#line + 1] = 0
  line[#line + 1] = place_of(job)
  jobs[#jobs + 1] = job.id
  jobs[#jobs + 1] = record_of(job)
  payloads[#payloads + 1] = job.id
  payloads[#payloads + 1] = ARGV[at + 1]
  states[job.id] = job.state
  return job.state
end

-- Why they cannot be put in; nothing when they can.
local function refusal(from)
  for at = from, #ARGV, 5 do
    if #ARGV[at + 1] > max_payload then return { 'too_large', max_payload, (at - from) / 5 } end
  end
  save()  -- a server without memory refuses here, before anything is done
  upkeep()
  local held = redis.call('HLEN', JOBS)
  if held + (#ARGV - from + 1) / 5 > max_jobs then return { 'full', held, max_jobs } end
end

-- Returns for each job whether it was there (1) and its state, as 8 × the one + the other; or why none was put in.
local function add_jobs(from)
  local refused = refusal(from)
  if refused then return refused end
  local ids, answers = {}, {}
  for at = from, #ARGV, 5 do ids[#ids + 1] = ARGV[at] end
  local records = redis.call('HMGET', JOBS, unpack(ids))
  for i, id in ipairs(ids) do
    local at = from + (i - 1) * 5
    local run_at = run_at_of(ARGV[at + 3])
    local there = states[id]
    if not there and records[i] then
      local job = job_of(id, records[i])
      there = job.state == STATE_DELAYED and job.run_at <= now and STATE_READY or job.state
      -- The window is one of scheduled times: a job for after it is another job, however early it comes in.
      if there == STATE_DONE and run_at >= job.till then
        drop(job)
        there = nil
      end
    end
    answers[i] = there and 8 + there or add(at, run_at)
  end
  local added = #jobs / 2
  count(ENQUEUED, added)
  count(DUPLICATES, #ids - added)
  if added > 0 then
    count_rate(ENQUEUED_RATE, added)
    send('ZADD', READY, ready)
    send('ZADD', DELAYED, delayed)
    send('HSET', JOBS, jobs)
    send('HSET', PAYLOADS, payloads)
    wake()
  end
  save()
  return answers
end
