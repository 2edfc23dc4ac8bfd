-- ARGV: `options`, with what else `set` TEXT, `pause`, `resume`, `remove` ID, `retry` ID.
-- Returns: of options and set the options as text; of remove and retry whether it was done (1), is not there (0), or is
-- in another state (-1).

local verb, what = ARGV[FIRST], ARGV[FIRST + 1]
local operate = {}

function operate.options() return redis.call('HGET', META, 'options') end

function operate.set()
  local numbers = {}
  for number in string.gmatch(what, '=(%d+)') do numbers[#numbers + 1] = tonumber(number) end
  redis.call('HSET', META, 'options', what, 'packed', struct.pack(OPTIONS, unpack(numbers)))
  wake()
  return what
end

function operate.pause() return redis.call('HSET', META, 'paused', '1') end

function operate.resume()
  wake()
  return redis.call('HDEL', META, 'paused')
end

function operate.remove()
  local record = redis.call('HGET', JOBS, what)
  if not record then return 0 end
  drop(job_of(what, record))
  save()
  return 1
end

function operate.retry()
  local record = redis.call('HGET', JOBS, what)
  if not record then return 0 end
  local job = job_of(what, record)
  if job.state ~= STATE_DEAD then return -1 end
  revive(job)
  return 1
end

return operate[verb]()
