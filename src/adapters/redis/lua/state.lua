-- Returns: seq, players.

local seq, players = current()
if not seq then return stale(players) end
return { seq, players }
