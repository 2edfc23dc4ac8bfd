-- Where players stand, and who of them are equal.
--
-- Players of one class are equal in points and criteria: in all of a key but its time. Of a packed board they are those
-- with the same points in the score; of a wide one those with the same score and the same prefix up to the time.
-- With ties `dense` CLASSES holds each class once: its score (of packed boards the points), as member the part of the
-- prefix and the score.

local descending = order == 'desc'
local shares_ranks = dense or ties == 'shared'
local time_span = 4294967296  -- of a packed score
local class_bytes = not wide and 0 or prefix_bytes - 6

-- Lua compares strings as the server's locale says; sorted sets compare bytes.
local function is_below(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- Of those from `low` to `high` - 1 in reading order: where the first stands of whose member `follows` is true.
local function first_that(follows, set, low, high)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if follows(redis.call(range_command, set, middle, middle)[1]) then high = middle else low = middle + 1 end
  end
  return low
end

-- How many stand before those with this score whose members begin with `prefix`, and how many before those and with
-- them. `whole`: with `prefix` as the whole member.
local function span(set, score, prefix, whole)
  local first, last = '(' .. score, '+inf'
  if not descending then first, last = '-inf', '(' .. score end
  local low = redis.call('ZCOUNT', set, first, last)
  local high = low + redis.call('ZCOUNT', set, score, score)
  if prefix == '' and not whole then return low, high end
  local function part(member) return whole and member or string.sub(member, 1, #prefix) end
  local function is_at_or_after(member)
    if descending then return not is_below(prefix, part(member)) end
    return not is_below(part(member), prefix)
  end
  local function is_after(member)
    if descending then return is_below(part(member), prefix) end
    return is_below(prefix, part(member))
  end
  local before = first_that(is_at_or_after, set, low, high)
  return before, first_that(is_after, set, before, high)
end

-- Above 2^53 a score is less than the points, and the prefix has the rest.
local function is_rounded(score) return math.abs(tonumber(score)) >= 9007199254740992 end

local function packed_span(set, points)
  local least, next = text_of(points * time_span), '(' .. text_of((points + 1) * time_span)
  local above, first, last = nil, text_of((points + 1) * time_span), '+inf'
  if not descending then first, last = '-inf', '(' .. least end
  above = redis.call('ZCOUNT', set, first, last)
  return above, above + redis.call('ZCOUNT', set, least, next)
end

-- How many have better points than these, and how many no worse ones.
local function span_of_points(score, prefix)
  if not wide then return packed_span(BOARD, tonumber(score)) end
  return span(BOARD, score, is_rounded(score) and prefix or '')
end

-- How many stand above the class of a member, and how many above it and in it.
local function class_span(set, score, member)
  if not wide then return packed_span(set, math.floor(tonumber(score) / time_span)) end
  local alone = not has_criteria and not is_rounded(score)
  return span(set, score, alone and '' or string.sub(member, 1, class_bytes))
end

-- As CLASSES keeps the class of a member.
local function class_of(score, member)
  local number = tonumber(score)
  if not wide then number = math.floor(number / time_span) end
  local text = text_of(number)
  return text, string.sub(member, 1, class_bytes) .. text
end

local function score_of_class(score)
  return wide and score or text_of(tonumber(score) * time_span)
end

local function join(classes, score, member) redis.call('ZADD', classes, class_of(score, member)) end

-- After a member has left the set: its class goes with its last member.
local function leave(set, classes, score, member)
  local above, last = class_span(set, score, member)
  if above == last then
    local _, class = class_of(score, member)
    redis.call('ZREM', classes, class)
  end
end

-- How many ranks are above a member's; nil (false) when it is not there. `score`: when it is known.
local function rank_of(member, score)
  if not shares_ranks then return redis.call(rank_command, BOARD, member) end
  score = score or redis.call('ZSCORE', BOARD, member)
  if not score then return false end
  if not dense then return (class_span(BOARD, score, member)) end
  local _, class = class_of(score, member)
  return redis.call(rank_command, CLASSES, class)
end
