--[[
Renew the lease of a refreshing marker.

KEYS[1] refreshing  hash
ARGV[1] token the refresh began with
ARGV[2] lease, in milliseconds

Returns 1 renewed; 0 it is another's, given up, or gone.
]]
local held = redis.call("HMGET", KEYS[1], "token", "failed")
if held[1] ~= ARGV[1] or held[2] then
  return 0
end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])
