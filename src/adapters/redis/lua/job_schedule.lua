-- ARGV: `put` NAME DEFINITION MOST, `drop` NAME, `all`, or `tick` NAME DEFINITION LAST TICK and the tick's job, see
-- job_adding.lua.
-- Returns: of put 1, or 0 when there are as many as there may be; of drop whether it was there; of all the time in ms and
-- everything that is kept; of tick what job_adding.lua says, or nothing when it is not (or no longer) that schedule's
-- next tick.
--
-- Kept of each, with its name: `d:` what it says, `l:` its last tick, or when it was made, in ms, `t:` whether that was a
-- tick.

local verb, name, definition = ARGV[FIRST], ARGV[FIRST + 1], ARGV[FIRST + 2]
local kept = redis.call('HMGET', SCHEDULES, 'd:' .. (name or ''), 'l:' .. (name or ''))

local schedule = {}
function schedule.put()
  if kept[1] == definition then return 1 end
  if not kept[1] and redis.call('HLEN', SCHEDULES) >= 3 * tonumber(ARGV[FIRST + 3]) then return 0 end
  redis.call('HSET', SCHEDULES, 'd:' .. name, definition, 'l:' .. name, now, 't:' .. name, 0)
  return 1
end

function schedule.drop()
  redis.call('HDEL', SCHEDULES, 'l:' .. name, 't:' .. name)
  return redis.call('HDEL', SCHEDULES, 'd:' .. name)
end

function schedule.all() return { now, redis.call('HGETALL', SCHEDULES) } end

function schedule.tick()
  if kept[1] ~= definition or kept[2] ~= ARGV[FIRST + 3] then return {} end
  local answers = add_jobs(FIRST + 5)
  if type(answers[1]) == 'number' then
    redis.call('HSET', SCHEDULES, 'l:' .. name, ARGV[FIRST + 4], 't:' .. name, 1)
  end
  return answers
end

return schedule[verb]()
