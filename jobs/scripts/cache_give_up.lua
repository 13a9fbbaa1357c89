--[[
Take away the marker of a refresh that ends without a value, so that another may begin at once.

KEYS[1] refreshing  hash
ARGV[1] token the refresh began with

Returns 1 taken away; 0 it is another's, or gone.
]]
if redis.call("HGET", KEYS[1], "token") ~= ARGV[1] then
  return 0
end
return redis.call("DEL", KEYS[1])
