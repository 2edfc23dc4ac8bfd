-- What follows a place, whether or not anybody stands there.
-- ARGV: 5 the place's score, 6 its member, 7 how many to read. Returns: as range.

-- Lua compares strings as the server's locale says; sorted sets compare bytes.
local function is_below(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local score, member = ARGV[5], ARGV[6]
local descending = order == 'desc'
local first, last = '(' .. score, '+inf'
if not descending then first, last = '-inf', '(' .. score end
-- Those with the place's score are `low` to `high` - 1 in reading order: look there for the first that follows it.
local low = redis.call('ZCOUNT', BOARD, first, last)
local high = low + redis.call('ZCOUNT', BOARD, score, score)
while low < high do
  local middle = math.floor((low + high) / 2)
  local there = redis.call(range_command, BOARD, middle, middle)[1]
  local follows
  if descending then follows = is_below(there, member) else follows = is_below(member, there) end
  if follows then high = middle else low = middle + 1 end
end
return { seq, players, low, entries(low, tonumber(ARGV[7])) }
