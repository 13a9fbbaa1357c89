--[[
Renew a lease. Refused when the lock is another's by now, or held for four times its longest duration.

KEYS[1] lock  hash
ARGV[1] prefixes  JSON
ARGV[2] fencing token
ARGV[3] lease, in milliseconds

Returns 1 renewed, 0 lost.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
return renew_lock(KEYS[1], ARGV[2], tonumber(ARGV[3]))
