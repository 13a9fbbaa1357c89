--[[
Release a lock from outside: only the hold with the token that the person saw. Repeated, it answers the same.
The old holder is told at once: by the revocations' channel, and a worker by RQ's own channel of commands.

KEYS[1] lock         hash
KEYS[2] revoked      hash: token, by, reason, at
KEYS[3] events       stream
KEYS[4] revocations  channel
ARGV[1] resource
ARGV[2] fencing token the person saw
ARGV[3] who
ARGV[4] why

Returns 1 released; 0 the lock has another holder, or none.
]]
-- include _keys
-- include _now
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
local lock, revoked, events, revocations = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local resource, token, by, reason = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local HOUR_S = 3600

if redis.call("HGET", revoked, "token") == token then
  return 1
end
local held = redis.call("HMGET", lock, "token", "job", "queue", "worker", "execution")
if held[1] ~= token then
  return 0
end
redis.call("HSET", revoked, "token", token, "by", by, "reason", reason, "at", now_ms)
redis.call("EXPIRE", revoked, HOUR_S)
next_token(prefix.fence .. resource)
if held[2] and held[2] ~= "" then
  note(prefix.timeline .. held[2], "released by hand", {resource = resource, by = by, reason = reason})
end
tell(events, "released by hand", held[2] or "", "", held[3] or "", resource .. " by " .. by)
redis.call("PUBLISH", revocations, token)
if held[4] and held[4] ~= "" then
  redis.call("PUBLISH", prefix.commands .. held[4],
    cjson.encode({command = "mandor-lease-lost", execution = held[5]}))
end
return free_lock(resource, token, "forced")
