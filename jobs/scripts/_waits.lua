-- Needs: _keys. Whether a job really waits: its record may say so for a while after it was taken off its queue, as the
-- records of an emptied queue do, which go one after the other. On a long queue the record is believed.
local LONGEST_LOOK = 1000

local function waits(id, status, origin)
  if status == "queued" then
    local queue = prefix.queue .. origin
    return redis.call("LLEN", queue) > LONGEST_LOOK or redis.call("LPOS", queue, id) ~= false
  end
  return status == "scheduled"
    and (redis.call("ZSCORE", prefix.scheduled .. origin, id) or redis.call("ZSCORE", prefix.parked .. origin, id)) ~= false
end
