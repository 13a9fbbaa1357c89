--[[
Take back jobs whose claims have lapsed, five at the most over all queues.

ARGV[1] most crashes a job may have
ARGV[2…] queue names

Returns one {job id, queue, worker, "crashed" or "dead"} for each.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
-- include _bury
-- include _broken
-- include _crash
-- include _reclaim
local swept = {}
if may_reclaim() then
  for i = 2, #ARGV do
    reclaim(ARGV[i], tonumber(ARGV[1]), swept)
  end
end
return swept
