-- Needs: _now. Fencing tokens.
local FENCE_TTL_S = 2592000

-- A token never regresses, also when a fail-over lost the counter: it is at least the server's time in microseconds.
local function next_token(fence)
  local token = math.max((tonumber(redis.call("GET", fence)) or 0) + 1, now_us)
  local text = string.format("%.0f", token)
  redis.call("SET", fence, text, "EX", FENCE_TTL_S)
  return text
end
