-- Needs: _keys, _now. What is known of cache entries: which of them count, and how much room they take.
local CACHE_TTL_S = 2592000
local PRUNED = 100

local function namespace_of(key)
  return string.match(key, "^([^:]+):") or "default"
end

-- A generation and a version are moments, so that one which an evicting server lost is never given out again.
local function next_moment(last)
  return string.format("%.0f", math.max((tonumber(last) or 0) + 1, now_us))
end

local function version_of(key)
  local name = prefix.cache_version .. namespace_of(key)
  local version = redis.call("GET", name)
  if not version then
    version = next_moment()
    redis.call("SET", name, version, "EX", CACHE_TTL_S)
  end
  return version
end

-- What a refresh that begins now must still find at its end: no invalidation of its key or namespace in between.
local function begin_generation(key)
  local guard = prefix.cache_guard .. key
  local generation = redis.call("HGET", guard, "generation")
  if not generation then
    generation = next_moment()
    redis.call("HSET", guard, "generation", generation)
    redis.call("EXPIRE", guard, CACHE_TTL_S)
  end
  return generation .. "/" .. version_of(key)
end

local function wake_readers(key)
  local wake = prefix.cache_wake .. key
  redis.call("RPUSH", wake, "1")
  redis.call("PEXPIRE", wake, 1000)
end

local function forget_entry(key)
  local size = redis.call("HGET", prefix.cache_sizes, key)
  if size then
    redis.call("HDEL", prefix.cache_sizes, key)
    redis.call("DECRBY", prefix.cache_bytes, size)
    redis.call("ZREM", prefix.cache_written, key)
  end
  redis.call("ZREM", prefix.cache_index, key)
  redis.call("ZREM", prefix.cache_keys .. namespace_of(key), key)
end

local function drop_entry(key)
  redis.call("DEL", prefix.cache .. key)
  forget_entry(key)
end

local function prune_entries()
  for _, key in ipairs(redis.call("ZRANGEBYSCORE", prefix.cache_index, "-inf", now_ms, "LIMIT", 0, PRUNED)) do
    forget_entry(key)
  end
end

-- Account for an entry of that many bytes, and drop the oldest until all fit. A limit of 0 is none.
local function make_room(key, size, limit)
  if limit == 0 then
    return
  end
  local before = redis.call("HGET", prefix.cache_sizes, key) or 0
  redis.call("HSET", prefix.cache_sizes, key, size)
  redis.call("ZADD", prefix.cache_written, now_ms, key)
  local bytes = redis.call("INCRBY", prefix.cache_bytes, size - before)
  while bytes > limit do
    local oldest = redis.call("ZRANGE", prefix.cache_written, 0, 0)[1]
    if not oldest then
      redis.call("DEL", prefix.cache_bytes)
      return
    end
    drop_entry(oldest)
    bytes = tonumber(redis.call("GET", prefix.cache_bytes)) or 0
  end
end
