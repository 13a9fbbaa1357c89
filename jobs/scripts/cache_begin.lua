--[[
Begin a refresh: take the refreshing marker if nobody has it and nobody has filled the entry meanwhile.

KEYS[1] entry       string
KEYS[2] refreshing  hash {by, since, token, generation}; expires with the lease. While {failed}, nobody may try again
KEYS[3] fence       string, the last token
ARGV[1] who, unique to this refresh
ARGV[2] lease, in milliseconds
ARGV[3] a lock's token, whose holder takes the marker from anybody; or empty
ARGV[4] key

Returns {token, generation}, the same again for the same refresh; {} when the entry is fresh; {"", by, since} while
another is at it; {"", by, since, error} while a source that failed is left alone.
]]
local entry, marker, fence = KEYS[1], KEYS[2], KEYS[3]
local by, lease_ms, token, key = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local HEAD = 200

local held = redis.call("HMGET", marker, "by", "token", "generation", "failed", "since")
if held[1] == by and not held[4] then
  return {held[2], held[3]}
end
if token == "" and held[2] and not held[4] then
  return {"", held[1], held[5]}
end

-- include _keys
-- include _now
-- include _token
-- include _cache_entries
if token == "" then
  local head = redis.call("GETRANGE", entry, 0, HEAD)
  local version, fresh_until = string.match(head, '"version":(%d+),.-"fresh_until":(%d+)')
  if version and tonumber(fresh_until) > now_ms and version == version_of(key) then
    return {}
  end
  if held[4] then
    return {"", held[1], held[5], held[4]}
  end
  token = next_token(fence)
end
local generation = begin_generation(key)
if held[4] then
  redis.call("HDEL", marker, "failed")
end
redis.call("HSET", marker, "by", by, "since", now_ms, "token", token, "generation", generation)
redis.call("PEXPIRE", marker, lease_ms)
return {token, generation}
