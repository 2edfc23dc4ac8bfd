-- Which job is next.

-- The fronts of the lines of each priority, at most `wanted` long. Without aging and limits the first `wanted` ready
-- jobs are the beginning of the whole set, whatever their priorities.
local function fronts(wanted)
  local lines = {}
  for priority = 0, 9 do lines[priority] = { ready = {}, due = {}, ready_at = 1, due_at = 1 } end
  if aging == 0 and max_leased == 0 then
    for _, member in ipairs(redis.call('ZRANGE', READY, 0, wanted - 1)) do
      local ready = lines[string.byte(member) - 48].ready
      ready[#ready + 1] = member
    end
  else
    for priority = 0, 9 do
      lines[priority].ready =
        redis.call('ZRANGEBYLEX', READY, begin_of(priority), end_of(priority), 'LIMIT', 0, wanted)
    end
  end
  if redis.call('ZCARD', DELAYED) > 0 then
    for priority = 0, 9 do
      lines[priority].due =
        redis.call('ZRANGEBYLEX', DELAYED, begin_of(priority), due_end(priority), 'LIMIT', 0, wanted)
    end
  end
  return lines
end

-- The priority that counts: with aging less than the job's own.
local function level_of(priority, member)
  if aging == 0 then return priority end
  local run_at = struct.unpack('>I6', member, 2)
  if run_at >= now then return priority end
  return math.max(0, priority - math.floor((now - run_at) / aging))
end

-- The first of all that are ready and allowed: its line, whether it was delayed, its member.
local function first(lines, allowed)
  local best, best_level, best_due, best_member = nil, 10, false, nil
  for priority = 0, 9 do
    local line = lines[priority]
    local ready, due = line.ready[line.ready_at], line.due[line.due_at]
    if (ready or due) and allowed(priority) then
      local is_due = due and (not ready or due < ready)
      local member = is_due and due or ready
      local level = level_of(priority, member)
      if level < best_level or (level == best_level and string.sub(member, 2) < string.sub(best_member, 2)) then
        best, best_level, best_due, best_member = line, level, is_due, member
      end
      if aging == 0 then break end
    end
  end
  return best, best_due, best_member
end

local function pop(line, is_due)
  if is_due then line.due_at = line.due_at + 1 else line.ready_at = line.ready_at + 1 end
end

local function any() return true end

-- As it is seen from outside: what has fallen due is ready.
local function seen(record)
  if state_in(record) == STATE_DELAYED and run_at_in(record) <= now then
    return string.char(STATE_READY) .. string.sub(record, 2)
  end
  return record
end
