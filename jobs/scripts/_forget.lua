-- Needs: _keys, _now, _push, _locks, _lock_ends. Removes a job that still waits, with all that is kept about it. If it
-- was its turn for a lock, the next waiter is woken.
local function leave_line(resource, id)
  redis.pcall("ZREM", prefix.waiters .. resource, id)
  if redis.call("GET", prefix.reserved .. resource) == id then
    redis.call("DEL", prefix.reserved .. resource)
    if is_free(resource, id) then
      pcall(wake_waiter, resource)
    end
  end
end

local function forget(id, resource)
  local job = prefix.job .. id
  redis.call("UNLINK", job, job .. ":dependents", prefix.job .. ":" .. id .. ":dependencies",
    prefix.results .. id, prefix.executions .. id,
    prefix.attempts .. id, prefix.timeline .. id, prefix.log .. id)
  if resource and resource ~= "" then
    leave_line(resource, id)
  end
end
