-- What reads return: entries as the sorted set gives them. A wide member carries its prefix.

local seq, players = current()
if not seq then return stale(players) end

-- The member of each player; false for who is not on the board.
local function members_of(ids)
  if not wide then return ids end
  local members = many('HMGET', BESIDE, ids)
  for i, beside in ipairs(members) do members[i] = beside and string.sub(beside, 1, prefix_bytes) .. ids[i] end
  return members
end

-- Up to `limit` entries, `skip` passed over.
local function entries(skip, limit)
  limit = math.min(limit, players - skip)
  if limit < 1 or skip < 0 then return {} end
  return redis.call(range_command, BOARD, skip, skip + limit - 1, 'WITHSCORES')
end

-- What range returns.
local function page(skip, limit)
  local there = entries(skip, limit)
  return { seq, players, skip, there, shares_ranks and there[1] and rank_of(there[1], there[2]) or nil }
end
