--[[
Take a job out of the bin, back to where it was: on its queue between its old neighbours, in its registries with the
scores it had. A parked job goes to the front of its queue, and one whose dependencies ended meanwhile to the end of it.

KEYS[1…18] the job's keys (_bin)
ARGV[1] job id
ARGV[2] who restores it
ARGV[3] request; the same one repeated gets the same answer

Returns 1 restored; 0 it is not in the bin, or no longer.
]]
-- include _keys
-- include _now
-- include _notes
-- include _push
-- include _bin
local at = bin_keys()
local id, by, request = ARGV[1], ARGV[2], ARGV[3]
local SHORT_S = 60

local flat = redis.call("HGETALL", at.binned)
local binned = {}
for i = 1, #flat, 2 do
  binned[flat[i]] = flat[i + 1]
end
if binned.restored == request then
  return 1
end
if not binned.request or binned.restored then
  return 0
end

-- What RQ would have moved to its queue while it lay in the bin: all that it depends on has ended.
local function may_run()
  local fails = redis.call("HGET", at.job, "allow_dependency_failures") == "1"
  for _, other in ipairs(redis.call("SMEMBERS", at.dependencies)) do
    local status = redis.call("HGET", prefix.job .. other, "status")
    if status and status ~= "finished" and not (fails and status == "failed") then
      return false
    end
  end
  return true
end

local function enter_queue(status)
  redis.call("HSET", at.job, "status", "queued", "m_state", "")
  push(at.queue, at.wake, id, status == "front")
end

local function go_back_between(next_id, id_before)
  if next_id ~= "" and redis.call("LINSERT", at.queue, "BEFORE", next_id, id) > 0 then
    return
  end
  if id_before ~= "" and redis.call("LINSERT", at.queue, "AFTER", id_before, id) > 0 then
    return
  end
  push(at.queue, at.wake, id, next_id ~= "")
end

local exists = redis.call("TYPE", at.job).ok == "hash"
if exists then
  if binned.status == "" then
    redis.call("HDEL", at.job, "status", "m_state")
  else
    redis.call("HSET", at.job, "status", binned.status, "m_state", binned.m_state)
  end
  redis.call("HDEL", at.job, "m_discarded")
  note(at.timeline, "restored", {by = by})
end
if binned.parked or binned.m_state == "parked" then
  enter_queue("front")
elseif binned.queue_next then
  go_back_between(binned.queue_next, binned.queue_before)
elseif binned.deferred and exists and may_run() then
  enter_queue("end")
else
  for _, name in ipairs(REGISTRIES) do
    if binned[name] then
      redis.call("ZADD", at[name], binned[name], id)
    end
  end
end

local ttl_ms = tonumber(binned.ttl_ms)
for _, name in ipairs(OF_THE_JOB) do
  if ttl_ms > 0 then
    redis.call("PEXPIRE", at[name], ttl_ms)
  elseif name ~= "timeline" and name ~= "attempts" then
    redis.call("PERSIST", at[name])
  else
    redis.call("EXPIRE", at[name], WEEK_S)
  end
end
redis.call("ZREM", at.bin, id)
redis.call("HSET", at.binned, "restored", request)
redis.call("EXPIRE", at.binned, SHORT_S)
tell(at.events, "restored", id, exists and redis.call("HGET", at.job, "m_name") or "",
  string.sub(at.queue, #prefix.queue + 1), by)
return 1
