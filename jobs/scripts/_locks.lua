-- Needs: _keys, _now, _push. A lock's life, shared by the lock scripts and the job scripts.
-- include _token

-- Writes the hold and returns its token. `hold` is a list of more fields: {"holder", …, "job", …}.
local function take_lock(lock, fence, locks, resource, lease_ms, max_ms, hold)
  local token = next_token(fence)
  redis.call("HSET", lock, "token", token, "acquired", now_ms, "renewed", now_ms,
    "lease", lease_ms, "max", max_ms, "renewals", 0, unpack(hold))
  redis.call("PEXPIRE", lock, lease_ms)
  redis.call("ZADD", locks, now_ms + 2 * max_ms, resource)
  return token
end

-- 1 renewed; 0 no longer this holder's, or held for four times its maximum.
local function renew_lock(lock, token, lease_ms)
  local held = redis.call("HMGET", lock, "token", "acquired", "max")
  if held[1] ~= token or now_ms - tonumber(held[2]) > 4 * tonumber(held[3]) then
    return 0
  end
  redis.call("HSET", lock, "renewed", now_ms)
  redis.call("HINCRBY", lock, "renewals", 1)
  redis.call("PEXPIRE", lock, lease_ms)
  return 1
end

-- Puts the first waiter whose queue is not paused at the front of its queue.
local function wake_waiter(resource)
  local waiters = prefix.waiters .. resource
  for _, id in ipairs(redis.call("ZRANGE", waiters, 0, 19)) do
    local job = redis.call("HMGET", prefix.job .. id, "origin", "m_state")
    local queue = job[1] or ""
    if job[2] ~= "parked" then
      redis.call("ZREM", waiters, id)
    elseif redis.call("EXISTS", prefix.paused .. queue) == 0 then
      redis.call("ZREM", waiters, id)
      local moved = redis.call("ZREM", prefix.scheduled .. queue, id) + redis.call("ZREM", prefix.parked .. queue, id)
      if moved > 0 then
        redis.call("HSET", prefix.job .. id, "status", "queued", "m_state", "")
        push(prefix.queue .. queue, prefix.wake .. queue, id, true)
        return id
      end
    end
  end
  return nil
end

-- Frees the lock if the token is still its own, and wakes the first waiter. Returns 1 if it freed it.
local function free_lock(resource, token)
  local lock = prefix.lock .. resource
  if redis.call("HGET", lock, "token") ~= token then
    return 0
  end
  redis.call("DEL", lock)
  redis.call("ZREM", prefix.locks, resource)
  wake_waiter(resource)
  return 1
end
