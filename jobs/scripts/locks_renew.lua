--[[
Renew all leases of a process at once. One is refused when its lock is another's by now, or held for four times its
longest duration.

KEYS[1…100] lock  hash, one for each lease
ARGV[1…200] for each lease: fencing token, lease in milliseconds

Returns 1 renewed or 0 lost, for each.
]]
-- include _keys
-- include _now
-- include _locks
local renewed = {}
for i, lock in ipairs(KEYS) do
  renewed[i] = renew_lock(lock, ARGV[2 * i - 1], tonumber(ARGV[2 * i]))
end
return renewed
