--[[
Invalidate an entry: it is gone at once, and a refresh under way will be refused, since it read the data from before.

KEYS[1] guard       hash {token, generation, invalidations}
KEYS[2] refreshing  hash
ARGV[1] key

Returns how often it was invalidated by now.
]]
-- include _keys
-- include _now
-- include _cache_entries
local guard, marker, key = KEYS[1], KEYS[2], ARGV[1]

drop_entry(key)
redis.call("DEL", marker)
redis.call("HSET", guard, "generation", next_moment(redis.call("HGET", guard, "generation")))
local times = redis.call("HINCRBY", guard, "invalidations", 1)
redis.call("EXPIRE", guard, CACHE_TTL_S)
wake_readers(key)
return times
