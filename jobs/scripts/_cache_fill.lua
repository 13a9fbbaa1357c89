-- Needs: _keys, _now, _cache_entries. The one way a cache entry is written: never over a newer value, never with one
-- from before an invalidation.

-- keys: entry, guard, marker, index, namespaces.
-- fill: key, namespace, value (JSON text), token and generation (as the refresh began with), fresh_ms and stale_ms
-- (how long from now it is fresh, and usable at all), by, took_ms, now_ms, limit (bytes of all entries; 0 none), and
-- pin: "marker" if the refreshing marker must still be the refresher's, else its token alone is judged.
-- Returns 1 written, also when this is the same fill again because its answer was lost; 0 refused, as is a value larger
-- than all may be.
local function fill_cache(keys, fill)
  local guard = redis.call("HMGET", keys.guard, "token", "generation")
  local version = redis.call("GETEX", prefix.cache_version .. namespace_of(fill.key), "EX", CACHE_TTL_S)
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
    wake_readers(fill.key)
  end
  local current = (guard[2] or "") .. "/" .. (version or "")
  if token < highest or fill.generation ~= current or (fill.pin == "marker" and not mine) then
    return 0
  end
  local stale_until = fill.now_ms + fill.stale_ms
  local text = string.format(
    '{"v":1,"version":%s,"at":%.0f,"fresh_until":%.0f,"stale_until":%.0f,"token":%.0f,"took":%.0f,"by":%s,"value":',
    version, fill.now_ms, fill.now_ms + fill.fresh_ms, stale_until, token, fill.took_ms, cjson.encode(fill.by))
    .. fill.value .. "}"
  local size = #text + #fill.key
  if fill.limit > 0 and size > fill.limit then
    return 0
  end
  redis.call("HSET", keys.guard, "token", fill.token)
  redis.call("EXPIRE", keys.guard, CACHE_TTL_S)
  redis.call("SADD", keys.namespaces, fill.namespace)
  prune_entries()
  redis.call("SET", keys.entry, text, "PX", math.max(1, fill.stale_ms))
  redis.call("ZADD", keys.index, stale_until, fill.key)
  redis.call("ZADD", prefix.cache_keys .. fill.namespace, stale_until, fill.key)
  make_room(fill.key, size, fill.limit)
  return 1
end
