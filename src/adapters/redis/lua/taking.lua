-- Offers: which of them a set takes by the board's rule. The same as leaderboards/rules.cpp on the encoded numbers.
--
-- An offer is: player, score, on wide boards the prefix, on boards of sums how many results made the total (0: not
-- known).

local sums = rule == 'sum'
local stride = 2 + (wide and 1 or 0) + (sums and 1 or 0)
local counts_down = (order == 'desc') == (ties == 'first')  -- the time within a key: earlier is more

-- Points, their lowest bits where a double does not hold them, and the time, later being more.
local function parts(score, prefix)
  local points, low, time
  if wide then
    local a, b, c, d, e, f, g, h = string.byte(prefix, 1, 8)
    points, low, time = score, a * 256 + b, ((((c * 256 + d) * 256 + e) * 256 + f) * 256 + g) * 256 + h
  else
    time = score % 4294967296
    points, low = (score - time) / 4294967296, 0
  end
  return points, low, counts_down and -time or time
end

local function replaces(score, prefix, kept_score, kept_prefix)
  if score == kept_score and prefix == kept_prefix then return false end
  if sums then return true end
  local points, low, time = parts(score, prefix)
  local kept_points, kept_low, kept_time = parts(kept_score, kept_prefix)
  local more = points - kept_points
  if more == 0 then more = low - kept_low end
  local later = time - kept_time
  if rule == 'best' then return more > 0 or (more == 0 and later < 0) end
  if rule == 'least' then return more < 0 or (more == 0 and later < 0) end
  if later ~= 0 then return later > 0 end
  if order == 'desc' then return more > 0 end
  return more < 0
end

-- Who the offers from ARGV[first] on are for, each once.
local function offered_players(first)
  local ids, place_of = {}, {}
  for at = first, #ARGV, stride do
    local id = ARGV[at]
    if not place_of[id] then
      ids[#ids + 1] = id
      place_of[id] = #ids
    end
  end
  return ids, place_of
end

-- What a set keeps of the players, by their place in `ids`.
local function read_standings(set, beside, ids)
  local at = { ids = ids, scores = {}, texts = {}, prefixes = {}, results = {}, members = ids }
  local present, place_of = ids, nil
  if has_beside then
    present, place_of = {}, {}
    if wide then at.members = {} end
    for i, text in ipairs((many('HMGET', beside, ids))) do
      if text then
        at.prefixes[i] = wide and string.sub(text, 1, 8) or ''
        at.results[i] = sums and tonumber(string.sub(text, wide and 9 or 1)) or 0
        if wide then at.members[i] = at.prefixes[i] .. ids[i] end
        present[#present + 1] = at.members[i]
        place_of[#present] = i
      end
    end
  end
  for i, text in ipairs((many('ZMSCORE', set, present))) do
    local place = place_of and place_of[i] or i
    if text then at.scores[place], at.texts[place] = tonumber(text), text end
  end
  return at
end

-- Returns for each offer 1, or the standing that stays: score, on wide boards after the prefix. Notes in `at` what has
-- become of it.
local function decide(at, place_of, first)
  at.changed, at.noted, at.any_changed = {}, {}, false
  local answers = {}
  for offer = first, #ARGV, stride do
    local i = place_of[ARGV[offer]]
    local text, prefix = ARGV[offer + 1], wide and ARGV[offer + 2] or ''
    local score, results, kept = tonumber(text), sums and tonumber(ARGV[offer + stride - 1]) or 0, at.scores[i]
    local kept_results = at.results[i] or 0
    local behind = kept and results > 0 and results < kept_results
    if not behind and results > kept_results then
      at.results[i], at.noted[i] = results, true
    end
    if not kept or (not behind and replaces(score, prefix, kept, at.prefixes[i] or '')) then
      at.scores[i], at.texts[i], at.prefixes[i] = score, text, prefix
      at.changed[i], at.noted[i], at.any_changed = true, true, true
      answers[#answers + 1] = 1
    else
      answers[#answers + 1] = wide and at.prefixes[i] .. at.texts[i] or at.texts[i]
    end
  end
  return answers
end

local function write_standings(set, beside, at)
  local gone, added, noted = {}, {}, {}
  for i, id in ipairs(at.ids) do
    if at.changed[i] then
      local member = wide and at.prefixes[i] .. id or id
      if wide and at.members[i] and at.members[i] ~= member then gone[#gone + 1] = at.members[i] end
      added[#added + 1] = at.texts[i]
      added[#added + 1] = member
      if wide then at.members[i] = member end
    end
    if has_beside and at.noted[i] then
      noted[#noted + 1] = id
      noted[#noted + 1] = (wide and at.prefixes[i] or '') .. (sums and text_of(at.results[i] or 0) or '')
    end
  end
  many('ZREM', set, gone)
  many('ZADD', set, added)
  many('HSET', beside, noted)
end
