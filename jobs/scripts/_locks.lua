-- Needs: _keys, _now. The first half of a lock's life: taken and renewed.
-- include _token

-- A lock that was just released is kept for a moment for the waiter that was woken.
local function is_reserved(resource, waiter)
  local reserved = redis.call("GET", prefix.reserved .. resource)
  return reserved and reserved ~= waiter
end

local function is_free(resource, waiter)
  local lock = prefix.lock .. resource
  return redis.call("EXISTS", lock, prefix.reserved .. resource) == 0
    or redis.call("EXISTS", lock) == 0 and not is_reserved(resource, waiter)
end

-- How long a job may hold its lock, from its record's timeout in seconds: RQ's -1, for ever, counts as a day.
local function longest_ms(timeout_s)
  local limit_ms, DAY_MS = (tonumber(timeout_s) or 180) * 1000, 86400000
  return limit_ms > 0 and limit_ms < DAY_MS and limit_ms or DAY_MS
end

local function write_hold(resource, token, lease_ms, max_ms, hold)
  local lock = prefix.lock .. resource
  redis.call("HSET", lock, "token", token, "acquired", now_ms, "lease", lease_ms, "max", max_ms, unpack(hold))
  redis.call("PEXPIRE", lock, lease_ms)
  redis.call("ZADD", prefix.locks, now_ms + 2 * max_ms, resource)
end

-- Writes the hold and returns its token. `hold` is a list of more fields: {"holder", …, "job", …}.
local function take_lock(resource, waiter, lease_ms, max_ms, hold)
  local waiters = prefix.waiters .. resource
  local token = next_token(prefix.fence .. resource)
  local since = waiter ~= "" and redis.call("ZSCORE", waiters, waiter)
  write_hold(resource, token, lease_ms, max_ms, hold)
  if since then
    redis.call("HSET", prefix.lock .. resource, "waited", math.max(0, math.floor(now_ms - tonumber(since))))
    redis.call("ZREM", waiters, waiter)
    redis.call("ZREM", prefix.beats .. resource, waiter)
    redis.call("DEL", prefix.reserved .. resource)
  end
  return token
end

-- The lease lapsed while nobody could renew it, as when the server was away, and nobody has held the lock since: its
-- token is still the newest. (A release by a person makes a newer one.)
local function has_lapsed(resource, token)
  return redis.call("EXISTS", prefix.lock .. resource) == 0 and redis.call("GET", prefix.fence .. resource) == token
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
