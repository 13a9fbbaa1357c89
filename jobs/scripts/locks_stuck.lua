--[[
Find holds that have become stuck (held for twice their longest duration) and mark each as reported, once a hold.
Index entries whose lock has lapsed are removed on the way.

KEYS[1] locks   zset of resources by the time they become stuck
KEYS[2] events  stream
ARGV[1] most to look at

Returns one {resource, token, holder, job, acquired, max, now} for each hold that was not reported before.
]]
-- include _keys
-- include _now
-- include _notes
local locks, events = KEYS[1], KEYS[2]
local found = {}

local function judge(resource)
  local lock = prefix.lock .. resource
  local held = redis.call("HMGET", lock, "token", "holder", "job", "acquired", "max", "stuck", "queue")
  if not held[1] then
    redis.call("ZREM", locks, resource)
  elseif not held[6] then
    redis.call("HSET", lock, "stuck", 1)
    tell(events, "stuck", held[3] or "", "", held[7] or "", resource)
    found[#found + 1] = {resource, held[1], held[2] or "", held[3] or "",
      string.format("%.0f", tonumber(held[4]) or now_ms), string.format("%.0f", tonumber(held[5]) or 0),
      string.format("%.0f", now_ms)}
  end
end

for _, resource in ipairs(redis.call("ZRANGEBYSCORE", locks, 0, now_ms, "LIMIT", 0, tonumber(ARGV[1]))) do
  if not pcall(judge, resource) then
    redis.call("ZREM", locks, resource)
  end
end
return found
