-- Needs: nothing. The one way a cache entry is written: never over a newer value, never with one from before an
-- invalidation.
local GUARD_TTL_S = 2592000

-- keys: entry, guard, marker, index, namespaces.
-- fill: key, namespace, value (JSON text), token and generation (as the refresh began with), fresh_ms and stale_ms
-- (how long from now it is fresh, and usable at all), by, took_ms, now_ms, and pin: "marker" if the refreshing marker
-- must still be the refresher's, else its token alone is judged.
-- Returns 1 written, also when this is the same fill again because its answer was lost; 0 refused.
local function fill_cache(keys, fill)
  local guard = redis.call("HMGET", keys.guard, "token", "generation")
  local highest, token = tonumber(guard[1] or "0"), tonumber(fill.token)
  if not token then
    return 0
  end
  if token == highest then
    return 1
  end
  local mine = redis.call("HGET", keys.marker, "token") == fill.token
  if mine then
    redis.call("DEL", keys.marker)
  end
  if token < highest or fill.generation ~= (guard[2] or "0") or (fill.pin == "marker" and not mine) then
    return 0
  end
  local stale_until = fill.now_ms + fill.stale_ms
  local text = string.format('{"v":1,"at":%.0f,"fresh_until":%.0f,"stale_until":%.0f,"token":%.0f,"took":%.0f,"by":%s,"value":',
    fill.now_ms, fill.now_ms + fill.fresh_ms, stale_until, token, fill.took_ms, cjson.encode(fill.by))
  redis.call("SET", keys.entry, text .. fill.value .. "}", "PX", math.max(1, fill.stale_ms))
  redis.call("HSET", keys.guard, "token", fill.token)
  redis.call("EXPIRE", keys.guard, GUARD_TTL_S)
  redis.call("ZADD", keys.index, stale_until, fill.key)
  redis.call("SADD", keys.namespaces, fill.namespace)
  return 1
end
