-- Needs: _keys. Wakes the leader of the upkeep for a job that is due sooner than it would look again by itself.
local LONGEST_SLEEP_MS = 1000

local function wake_upkeep(delay_ms)
  if delay_ms < LONGEST_SLEEP_MS then
    redis.call("LPUSH", prefix.upkeep_wake, 1)
    redis.call("LTRIM", prefix.upkeep_wake, 0, 0)
    redis.call("PEXPIRE", prefix.upkeep_wake, LONGEST_SLEEP_MS)
  end
end
