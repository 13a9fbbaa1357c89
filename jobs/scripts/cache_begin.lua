--[[
Begin a refresh: take the refreshing marker if nobody has it and nobody has filled the entry meanwhile.

KEYS[1] entry       string
KEYS[2] guard       hash {token, generation}
KEYS[3] refreshing  hash {by, since, token, generation}; expires with the lease
KEYS[4] fence       string, the last token
ARGV[1] who, unique to this refresh
ARGV[2] lease, in milliseconds
ARGV[3] a lock's token, whose holder takes the marker from anybody; or empty

Returns {token, generation}, the same again for the same refresh; {} while another is at it or the entry is fresh.
]]
-- include _now
-- include _token
local entry, guard, marker, fence = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local by, lease_ms, token = ARGV[1], ARGV[2], ARGV[3]
local HEAD = 200

local held = redis.call("HMGET", marker, "by", "token", "generation")
if held[1] == by then
  return {held[2], held[3]}
end
if token == "" then
  local fresh_until = string.match(redis.call("GETRANGE", entry, 0, HEAD), '"fresh_until":(%d+)')
  if held[2] or (fresh_until and tonumber(fresh_until) > now_ms) then
    return {}
  end
  token = next_token(fence)
end
local generation = redis.call("HGET", guard, "generation") or "0"
redis.call("HSET", marker, "by", by, "since", now_ms, "token", token, "generation", generation)
redis.call("PEXPIRE", marker, lease_ms)
return {token, generation}
