-- Needs: _now. Fencing tokens.
local FENCE_TTL_S = 2592000

-- A token never regresses, also when a fail-over lost the counter: it is at least the server's time in microseconds.
local function next_token(fence)
  local token = string.format("%.0f", now_us)
  local last = tonumber(redis.call("SET", fence, token, "EX", FENCE_TTL_S, "GET") or "0")
  if last >= now_us then
    token = string.format("%.0f", last + 1)
    redis.call("SET", fence, token, "EX", FENCE_TTL_S)
  end
  return token
end
