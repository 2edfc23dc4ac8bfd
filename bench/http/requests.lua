-- Requests for wrk: `wrk … -s requests.lua URL -- KIND PLAYERS`, KIND one of rank, around, top.
-- The requests are made before the clock starts; one is drawn at random each time, whatever server is asked, so that
-- the load generator costs the same for all.
local requests = {}

function init(args)
  local kind, players = args[1], tonumber(args[2])
  local board = "/v1/leaderboards/main/seasons/12"
  local count = kind == "top" and 1 or players
  for i = 0, count - 1 do
    local path = board .. "/top?limit=100"
    if kind ~= "top" then
      path = board .. string.format("/players/player-%012d", i)
      if kind == "around" then path = path .. "/around?radius=5" end
    end
    requests[i + 1] = wrk.format("GET", path)
  end
  math.randomseed(12)
end

function request()
  return requests[math.random(#requests)]
end
