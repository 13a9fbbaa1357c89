-- Needs: _crash, _broken. Takes back the jobs of one queue whose claims have lapsed, five at the most.
-- The registry's score is the end of the claim plus RQ's own margin of 60 s. Ours (an execution id that starts with m)
-- are due at the end of the claim; those of a stock worker when RQ itself would act.
-- A claim that RQ's record no longer calls started is a left-over and only removed.
-- After a gap in which nobody looked (the server was away, or all workers were), the holders get a moment to speak first:
-- work that was done meanwhile is committed, not done again.
local MARGIN_S = 60
local GAP_MS, MOMENT_MS, LOOK_EVERY_MS = 2000, 1500, 500

local function may_reclaim()
  local looked = redis.call("HMGET", prefix.reclaim, "seen", "resumed")
  local seen, resumed = tonumber(looked[1] or now_ms), tonumber(looked[2] or 0)
  if now_ms - seen > GAP_MS then
    resumed = now_ms
    redis.call("HSET", prefix.reclaim, "resumed", resumed)
  end
  if not looked[1] or now_ms - seen > LOOK_EVERY_MS then
    redis.call("HSET", prefix.reclaim, "seen", now_ms)
  end
  return now_ms - resumed > MOMENT_MS
end

local function take_back(flight, max_crashes, swept)
  if redis.call("HGET", flight.job, "status") ~= "started" then
    return
  end
  look_up(flight)
  local text = "Worker " .. flight.worker_name .. " went silent"
  redis.call("HINCRBY", flight.counts, "reclaimed", 1)
  local outcome = crash(flight, max_crashes, text, "", true, {{"reclaimed", {worker = flight.worker_name}}})
  tell(flight.events, "reclaimed", flight.id, flight.name, flight.queue_name, text)
  swept[#swept + 1] = {flight.id, flight.queue_name, flight.worker_name, outcome}
end

local function reclaim(queue_name, max_crashes, swept)
  local lapsed = redis.call("ZRANGEBYSCORE", prefix.started .. queue_name, 0, now_s + MARGIN_S, "WITHSCORES", "LIMIT", 0, 20)
  for i = 1, #lapsed, 2 do
    local flight = found_flight(queue_name, lapsed[i])
    local ours = string.sub(flight.execution_id, 1, 1) == "m"
    if #swept < 5 and (ours or tonumber(lapsed[i + 1]) <= now_s) and leave_flight(flight) then
      attempt(flight.id, queue_name, function() take_back(flight, max_crashes, swept) end)
    end
  end
end
