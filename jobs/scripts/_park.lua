-- Needs: _keys, _now, _notes. The job waits for its resource: no attempt, no fork, first in line at the release.
-- It also has a fallback time (1, 2, 4 … 10 s) on RQ's scheduled registry, or on a list of ours where a foreign
-- scheduler works on that registry, whose move in two steps would double a job that the release moves.
local parked_here = 0

local function park(id, queue_name, resource)
  local job = prefix.job .. id
  local parks = redis.call("HINCRBY", job, "m_parks", 1)
  -- To the microsecond, and one apart within a script: waiters keep the order in which they came.
  redis.call("HSETNX", job, "m_parked", string.format("%.3f", (now_us + parked_here) / 1000))
  parked_here = parked_here + 1
  if parks > 1 then
    redis.call("HDEL", job, "m_woken")
  end
  redis.call("HSET", job, "status", "scheduled", "m_state", "parked")
  local since = redis.call("HGET", job, "m_parked")
  redis.call("ZADD", prefix.waiters .. resource, since, id)
  local mover = redis.call("GET", prefix.scheduler_lock .. queue_name)
  local foreign = mover and string.sub(mover, 1, 7) ~= "mandor:"
  local fallback_s = math.min(10, 2 ^ (parks - 1))
  redis.call("ZADD", (foreign and prefix.parked or prefix.scheduled) .. queue_name, now_s + fallback_s, id)
  redis.call("HINCRBY", prefix.counts .. queue_name, "parked", 1)
  if parks == 1 then
    local holder = redis.call("HMGET", prefix.lock .. resource, "job", "holder")
    note(prefix.timeline .. id, "parked", {resource = resource, holder = holder[1] ~= "" and holder[1] or holder[2] or ""})
  end
end
