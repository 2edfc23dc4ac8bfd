-- ARGV: a state (`ready`, …), the place of the first job from 0 on, how many.
-- Returns: id and record of each, in their order: ready by priority and place, delayed by (run_at, sequence), the
-- others by time.

local state, first_place, wanted = ARGV[FIRST], tonumber(ARGV[FIRST + 1]), tonumber(ARGV[FIRST + 2])
upkeep()

-- A part of a line: `line` of one priority from the least key on that is not before `from`, up to `to`.
local function part(line, priority, from, to) return { line = line, priority = priority, from = from, to = to } end

local function count_below(parts, run_at, sequence)
  local below = 0
  for _, of in ipairs(parts) do
    local to = '(' .. bound(of.priority, run_at, sequence)
    below = below + redis.call('ZLEXCOUNT', of.line, of.from, to < of.to and to or of.to)
  end
  return below
end

-- The greatest number of `bits` bits that `is_below` holds for; 0 when there is none.
local function greatest(bits, is_below)
  local number = 0
  for bit = bits - 1, 0, -1 do
    if is_below(number + 2 ^ bit) then number = number + 2 ^ bit end
  end
  return number
end

-- The key of the job with `place` others of the parts before it, found by counting: no job is read on the way there.
local function key_at(parts, place)
  local run_at = greatest(48, function(at) return count_below(parts, at, 0) <= place end)
  return run_at, greatest(52, function(at) return count_below(parts, run_at, at) <= place end)
end

local function size_of(parts)
  local size = 0
  for _, of in ipairs(parts) do size = size + redis.call('ZLEXCOUNT', of.line, of.from, of.to) end
  return size
end

local ids = {}

-- Appends the jobs of the parts in the order of their keys, from a place on.
local function merge(parts, place)
  local members = {}
  local run_at, sequence = 0, 0
  if place > 0 then run_at, sequence = key_at(parts, place) end
  for _, of in ipairs(parts) do
    local from = '[' .. bound(of.priority, run_at, sequence)
    if place == 0 or from < of.from then from = of.from end
    for _, member in ipairs(redis.call('ZRANGEBYLEX', of.line, from, of.to, 'LIMIT', 0, wanted - #ids)) do
      members[#members + 1] = member
    end
  end
  table.sort(members, function(a, b) return string.sub(a, 2, 15) < string.sub(b, 2, 15) end)
  for _, member in ipairs(members) do
    if #ids < wanted then ids[#ids + 1] = string.sub(member, ID_IN_PLACE) end
  end
end

local function list_ready()
  local skipped = 0
  for priority = 0, 9 do
    local parts = { part(READY, priority, begin_of(priority), end_of(priority)),
      part(DELAYED, priority, begin_of(priority), due_end(priority)) }
    local size = size_of(parts)
    if #ids < wanted and skipped + size > first_place then merge(parts, math.max(0, first_place - skipped)) end
    skipped = skipped + size
  end
end

local function list_delayed()
  local parts = {}
  for priority = 0, 9 do
    parts[#parts + 1] = part(DELAYED, priority, '[' .. bound(priority, now + 1, 0), end_of(priority))
  end
  if first_place < size_of(parts) then merge(parts, first_place) end
end

local timed = { leased = LEASED, dead = DEAD, done = DONE }
if state == 'ready' then
  list_ready()
elseif state == 'delayed' then
  list_delayed()
else
  for _, member in ipairs(redis.call('ZRANGE', timed[state], first_place, first_place + wanted - 1)) do
    ids[#ids + 1] = string.sub(member, ID_IN_TIMED)
  end
end

local answer = {}
local records = #ids > 0 and redis.call('HMGET', JOBS, unpack(ids)) or {}
for i, id in ipairs(ids) do
  if records[i] then
    answer[#answer + 1] = id
    answer[#answer + 1] = seen(records[i])
  end
end
return answer
