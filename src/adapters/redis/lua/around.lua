-- ARGV: 5 the player, 6 the radius. Returns: as range; no entries when the player is absent.

local radius = math.min(tonumber(ARGV[6]), players)
local member = members_of({ ARGV[5] })[1]
local above = member and redis.call(rank_command, BOARD, member)
if not above then return { seq, players, 0, {} } end
local skip = math.max(0, above - radius)
return page(skip, above - skip + radius + 1)
