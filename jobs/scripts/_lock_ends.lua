-- Needs: _keys, _now, _push. The second half of a lock's life: freed, and its first waiter woken.
local HOLD_RESERVATION_MS, JOB_RESERVATION_MS, FARTHEST = 100, 5000, 1000

-- A waiting job goes to the front of its queue, where its fallback time may have put it already; one whose queue is
-- paused, or listened to by nobody, is passed over. One that was woken before and not taken has lost its turn. Returns
-- true if it was woken.
local function wake_job(resource, id)
  local job = redis.call("HMGET", prefix.job .. id, "origin", "m_state", "status", "m_woken")
  local queue, parked = job[1] or "", job[2] == "parked"
  local queued = job[3] == "queued" and not job[4]
    and redis.call("LPOS", prefix.queue .. queue, id, "MAXLEN", FARTHEST)
  if not parked and not queued then
    redis.call("ZREM", prefix.waiters .. resource, id)
    return false
  end
  if redis.call("EXISTS", prefix.paused .. queue) == 1 or redis.call("EXISTS", prefix.queue_workers .. queue) == 0 then
    return false
  end
  if parked and redis.call("ZREM", prefix.scheduled .. queue, id) + redis.call("ZREM", prefix.parked .. queue, id) == 0 then
    return false
  end
  if queued then
    redis.call("LREM", prefix.queue .. queue, 1, id)
  end
  redis.call("HSET", prefix.job .. id, "status", "queued", "m_state", "", "m_woken", "1")
  push(prefix.queue .. queue, prefix.wake .. queue, id, true)
  redis.call("SET", prefix.reserved .. resource, id, "PX", JOB_RESERVATION_MS)
  return true
end

-- Code that waits in locks.hold is woken by a token on a list of its own, if it is alive.
local function wake_hold(resource, waiter)
  local beat = redis.call("ZSCORE", prefix.beats .. resource, waiter)
  if not beat or tonumber(beat) < now_ms then
    redis.call("ZREM", prefix.waiters .. resource, waiter)
    redis.call("ZREM", prefix.beats .. resource, waiter)
    return false
  end
  redis.call("RPUSH", prefix.lock_wake .. waiter, 1)
  redis.call("PEXPIRE", prefix.lock_wake .. waiter, 1000)
  redis.call("SET", prefix.reserved .. resource, waiter, "PX", HOLD_RESERVATION_MS)
  return true
end

local function wake_waiter(resource)
  for _, waiter in ipairs(redis.call("ZRANGE", prefix.waiters .. resource, 0, 19)) do
    local wake = string.sub(waiter, 1, 5) == "hold:" and wake_hold or wake_job
    local answered, woken = pcall(wake, resource, waiter)
    if not answered then
      redis.call("ZREM", prefix.waiters .. resource, waiter)
    elseif woken then
      return
    end
  end
end

-- Frees the lock if the token is still its own, and wakes the first waiter. Returns 1 if it freed it.
local function free_lock(resource, token, ending)
  local lock = prefix.lock .. resource
  local held = redis.call("HMGET", lock, "token", "holder", "job", "acquired", "waited")
  if held[1] ~= token then
    return 0
  end
  redis.call("DEL", lock)
  redis.call("ZREM", prefix.locks, resource)
  local holds = prefix.holds .. resource
  local kept = redis.call("LPUSH", holds, cjson.encode({token = token, holder = held[2], job = held[3] or "",
    acquired = tonumber(held[4]), waited = tonumber(held[5]) or 0, held = now_ms - tonumber(held[4]),
    ["end"] = ending or "released"}))
  if kept == 1 or kept > 20 then
    redis.call("LTRIM", holds, 0, 9)
    redis.call("EXPIRE", holds, 86400)
  end
  wake_waiter(resource)
  return 1
end

-- Whether this token's hold ended by its own release: the answer to a release that is repeated.
local function was_released(resource, token)
  for _, row in ipairs(redis.call("LRANGE", prefix.holds .. resource, 0, 19)) do
    local hold = cjson.decode(row)
    if hold.token == token then
      return hold["end"] == "released"
    end
  end
  return false
end
