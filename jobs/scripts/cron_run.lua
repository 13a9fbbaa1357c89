--[[
Take the right to run a cron job by hand, and write it down as RQ's scheduler does: only if it did not run since.

KEYS[1] cron_jobs  zset: names by when they last put a job on its queue, in seconds
ARGV[1] name
ARGV[2] when that was, as the person saw it, in milliseconds; 0 for never

Returns 1 if it may run; 0 it ran since.
]]
-- include _now
local cron_jobs, name, seen_ms = KEYS[1], ARGV[1], tonumber(ARGV[2])

local last_s = tonumber(redis.call("ZSCORE", cron_jobs, name) or 0)
if math.abs(last_s * 1000 - seen_ms) >= 2 then
  return 0
end
redis.call("ZADD", cron_jobs, now_s, name)
return 1
