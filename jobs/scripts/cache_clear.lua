--[[
Invalidate a whole namespace in one step, by its version: entries of another version count for nothing, and refreshes
under way will be refused. The first thousand entries are deleted too; the others end when their time comes.

KEYS[1] version  string
KEYS[2] keys     zset of the namespace's keys by the time they end

Returns how many entries it had.
]]
-- include _keys
-- include _now
-- include _cache_entries
local version, listed = KEYS[1], KEYS[2]
local DELETED = 1000

redis.call("SET", version, next_moment(redis.call("GET", version)), "EX", CACHE_TTL_S)
local held = redis.call("ZCOUNT", listed, now_ms, "+inf")
for _, key in ipairs(redis.call("ZRANGE", listed, 0, DELETED - 1)) do
  drop_entry(key)
end
redis.call("UNLINK", listed)
return held
