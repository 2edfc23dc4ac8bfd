-- Offers: which of them a set takes by the board's rule. The same as leaderboards/rules.cpp on the encoded numbers.
--
-- An offer is: score, player, on wide boards the prefix, on boards of sums how many results made the total (0: not
-- known). No player has two in one call.

local sums = rule == 'sum'
local stride = 2 + (wide and 1 or 0) + (sums and 1 or 0)
local counts_down = (order == 'desc') == (ties ~= 'last')  -- the time within a key: earlier is more

-- Where better is simply a greater or a lesser score: how ZADD calls it.
local better = nil
if not wide and not dense and rule == 'best' and counts_down then better = 'GT' end
if not wide and not dense and rule == 'least' and not counts_down then better = 'LT' end

-- Points, their lowest bits where a double does not hold them, the criteria after them in two halves, and the time,
-- later being more.
local function parts(score, prefix)
  local points, low, high_half, low_half, time = score, 0, 0, 0, score % 4294967296
  if has_criteria then
    low, high_half, low_half, time = struct.unpack('>I2I4I4I6', prefix)
  elseif wide then
    low, time = struct.unpack('>I2I6', prefix)
  else
    points = (score - time) / 4294967296
  end
  return counts_down and -time or time, points, low, high_half, low_half
end

local function replaces(score, prefix, kept_score, kept_prefix)
  if score == kept_score and prefix == kept_prefix then return false end
  if sums then return true end
  local time, points, low, high_half, low_half = parts(score, prefix)
  local kept_time, kept_points, kept_low, kept_high_half, kept_low_half = parts(kept_score, kept_prefix)
  local more = points - kept_points
  if more == 0 then more = low - kept_low end
  if more == 0 then more = high_half - kept_high_half end
  if more == 0 then more = low_half - kept_low_half end
  local later = time - kept_time
  if rule == 'best' then return more > 0 or (more == 0 and later < 0) end
  if rule == 'least' then return more < 0 or (more == 0 and later < 0) end
  if later ~= 0 then return later > 0 end
  if order == 'desc' then return more > 0 end
  return more < 0
end

-- What a set keeps of the players who have offers from `first` on, in their order: scores, what stands beside, members.
-- Nothing (false) of who is not there; that one's member is one that nobody has.
local function read_kept(set, beside, offers, first)
  local ids = {}
  for at = first + 1, #offers, stride do ids[#ids + 1] = offers[at] end
  local kept = { beside = has_beside and many('HMGET', beside, ids) or {}, members = ids }
  if wide then
    kept.members = {}
    for i, text in ipairs(kept.beside) do kept.members[i] = text and string.sub(text, 1, prefix_bytes) .. ids[i] or '' end
  end
  kept.scores = many('ZMSCORE', set, kept.members)
  return kept
end

-- Puts what is better in the place of what is kept; `kept.members` are then the members now. Returns how many changed.
local function take_compared(set, beside, classes, offers, first, kept)
  local gone, added, noted, left = {}, {}, {}, {}
  for i, kept_score in ipairs(kept.scores) do
    local at = first + (i - 1) * stride
    local score, id, text = offers[at], offers[at + 1], kept.beside[i] or ''
    local prefix, kept_prefix = '', ''
    if wide then prefix, kept_prefix = offers[at + 2], string.sub(text, 1, prefix_bytes) end
    local results = sums and tonumber(offers[at + stride - 1]) or 0
    local kept_results = sums and tonumber(string.sub(text, prefix_bytes + 1)) or 0
    local behind = kept_score and results > 0 and results < kept_results
    local changed = not kept_score or
      (not behind and replaces(tonumber(score), prefix, tonumber(kept_score), kept_prefix))
    if changed then
      local member = prefix .. id
      if dense and kept_score then left[#left + 1] = { kept_score, kept.members[i] } end
      if wide and text ~= '' and member ~= kept.members[i] then gone[#gone + 1] = kept.members[i] end
      kept.members[i] = member
      added[#added + 1] = score
      added[#added + 1] = member
    end
    if has_beside and (changed or results > kept_results) then
      noted[#noted + 1] = id
      noted[#noted + 1] = (changed and prefix or kept_prefix) ..
        (sums and text_of(math.max(results, kept_results)) or '')
    end
  end
  -- A full server looks at a script's first write only, and lets those through that take something away.
  many('ZADD', set, added)
  many('HSET', beside, noted)
  many('ZREM', set, gone)
  if dense then
    for at = 1, #added, 2 do join(classes, added[at], added[at + 1]) end
    for _, was in ipairs(left) do leave(set, classes, was[1], was[2]) end
  end
  return #added / 2
end

-- The same where better is simply a greater or a lesser score.
local function take_better(set, offers, first, kept)
  local added = {}
  for i, kept_score in ipairs(kept.scores) do
    local at = first + (i - 1) * stride
    local score = offers[at]
    local more = kept_score and tonumber(score) - tonumber(kept_score)
    if not more or (better == 'GT' and more > 0) or (better == 'LT' and more < 0) then
      added[#added + 1] = score
      added[#added + 1] = offers[at + 1]
    end
  end
  many('ZADD', set, added)
  return #added / 2
end

-- The same for whatever board, `kept` unread: where one is loaded ZADD compares by itself.
local function take_unread(set, beside, classes, offers, first)
  if not better then return take_compared(set, beside, classes, offers, first, read_kept(set, beside, offers, first)) end
  for at = first, #offers, piece do
    redis.call('ZADD', set, better, unpack(offers, at, math.min(at + piece - 1, #offers)))
  end
end
