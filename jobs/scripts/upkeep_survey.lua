--[[
Learn which queues there are and which of them a Mandor worker listens to, forget workers whose records have ended, and
say who does the upkeep.

KEYS[1] queues   set of queue keys, RQ's
KEYS[2] workers  set of worker keys, RQ's
KEYS[3] upkeep   hash
ARGV[1] leader
ARGV[2] 1 to serve all queues, whoever listens to them
ARGV[3] how many of the following names are of queues that the leader serves in any case
ARGV[4…] queue names: those, and those of the settings

Returns {names of all queues, names of those that are served}.
]]
-- include _keys
-- include _now
local queues, workers, upkeep = KEYS[1], KEYS[2], KEYS[3]
local leader, adopt, own = ARGV[1], ARGV[2] == "1", tonumber(ARGV[3])
local FIRST_NAME = 4
local all, served, seen, known = {}, {}, {}, {}

-- "ours", "foreign", or "gone" when the worker's record has ended.
local function whose(worker)
  if known[worker] == nil then
    local record = redis.pcall("HMGET", worker, "m_version", "birth")
    known[worker] = record[2] and (record[1] and "ours" or "foreign") or "gone"
  end
  return known[worker]
end

local function is_listened_to(name)
  local listeners, found = prefix.queue_workers .. name, false
  for _, worker in ipairs(redis.call("SMEMBERS", listeners)) do
    if whose(worker) == "gone" then
      redis.call("SREM", listeners, worker)
      redis.call("SREM", workers, worker)
    end
    found = found or whose(worker) == "ours"
  end
  return found
end

local function add(name, serve)
  if seen[name] then
    return
  end
  seen[name] = true
  all[#all + 1] = name
  local found, listened_to = pcall(is_listened_to, name)
  if serve or adopt or (found and listened_to) then
    served[#served + 1] = name
  end
end

for i = FIRST_NAME, #ARGV do
  add(ARGV[i], i < FIRST_NAME + own)
end
for _, key in ipairs(redis.call("SMEMBERS", queues)) do
  add(string.sub(key, #prefix.queue + 1), false)
end
redis.call("HSET", upkeep, "leader", leader, "at", now_ms, "moves", #served > 0 and 1 or 0)
return {all, served}
