-- Single results for wrk, each with a random match id: `wrk … -s singles.lua URL -- PLAYERS`.
local players = 100000

function init(args)
  players = tonumber(args[1])
  math.randomseed(os.time())
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  local random = math.random
  local body = string.format(
    '{"matchId":"%08x-%04x-4%03x-8%03x-%06x%06x","playerId":"player-%08d","seasonId":1,"points":%d}',
    random(0, 0x7fffffff), random(0, 0xffff), random(0, 0xfff), random(0, 0xfff), random(0, 0xffffff),
    random(0, 0xffffff), random(0, players - 1), random(0, 1999999))
  return wrk.format("POST", "/v1/leaderboards/main/results", nil, body)
end
