--[[
Renew the lease of a refreshing marker.

KEYS[1] refreshing  hash
ARGV[1] token the refresh began with
ARGV[2] lease, in milliseconds

Returns 1 renewed; 0 it is another's, or gone.
]]
if redis.call("HGET", KEYS[1], "token") ~= ARGV[1] then
  return 0
end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])
