--[[
Write a cache entry at the end of a refresh, take its marker away and wake who waits for it.

KEYS[1] entry       string
KEYS[2] guard       hash {token, generation}
KEYS[3] refreshing  hash, the marker
KEYS[4] index       zset of keys by the time they end
KEYS[5] namespaces  set
ARGV[1] key
ARGV[2] namespace
ARGV[3] value, JSON
ARGV[4] token the refresh began with
ARGV[5] generation the refresh began with
ARGV[6] fresh for, in milliseconds
ARGV[7] usable for, in milliseconds from now
ARGV[8] who refreshed it
ARGV[9] how long it took, in milliseconds
ARGV[10] marker: only while the marker is this refresher's; token: as long as the token is not an old one
ARGV[11] bytes that all entries may take; the oldest are dropped beyond; 0 any

Returns 1 written, 0 refused.
]]
-- include _keys
-- include _now
-- include _cache_entries
-- include _cache_fill
return fill_cache(
  {entry = KEYS[1], guard = KEYS[2], marker = KEYS[3], index = KEYS[4], namespaces = KEYS[5]},
  {key = ARGV[1], namespace = ARGV[2], value = ARGV[3], token = ARGV[4], generation = ARGV[5],
    fresh_ms = tonumber(ARGV[6]), stale_ms = tonumber(ARGV[7]), by = ARGV[8], took_ms = tonumber(ARGV[9]),
    pin = ARGV[10], limit = tonumber(ARGV[11]), now_ms = now_ms}
)
