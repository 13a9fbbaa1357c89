--[[
Invalidate an entry: it is gone at once, and a refresh under way will be refused, since it read the data from before.

KEYS[1] entry       string
KEYS[2] guard       hash {token, generation}
KEYS[3] refreshing  hash
KEYS[4] index       zset
ARGV[1] key

Returns the new generation.
]]
local entry, guard, marker, index = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local GUARD_TTL_S = 2592000

redis.call("DEL", entry, marker)
redis.call("ZREM", index, ARGV[1])
local generation = redis.call("HINCRBY", guard, "generation", 1)
redis.call("EXPIRE", guard, GUARD_TTL_S)
return generation
