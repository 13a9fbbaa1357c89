--[[
Tie a job that was enqueued with edited arguments to the one they came from. Repeated it changes nothing.

KEYS[1] job           hash of the job whose arguments were edited
KEYS[2] timeline      list, of the same
KEYS[3] new_timeline  list, of the new job
ARGV[1] job id
ARGV[2] id of the new job
ARGV[3] who edited them

Returns 1 tied; 0 it was tied before, or the first job's record is gone.
]]
-- include _now
-- include _notes
local job, timeline, new_timeline = KEYS[1], KEYS[2], KEYS[3]
local id, new_id, by = ARGV[1], ARGV[2], ARGV[3]

if redis.call("EXISTS", job) == 0 or redis.call("HGET", job, "m_edited_as") == new_id then
  return 0
end
local kept_ms = redis.call("PTTL", timeline)
redis.call("HSET", job, "m_edited_as", new_id)
note_all(timeline, {{"edited as", {job = new_id, by = by}}}, kept_ms > 0 and math.ceil(kept_ms / 1000) or nil)
note(new_timeline, "edited from", {job = id, by = by})
return 1
