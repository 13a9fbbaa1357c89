-- Needs: nothing. The keys of a job that goes to the bin or comes back: KEYS[1..18] of both scripts are these, in order.
-- The last six are RQ's registries of its queue, and ours of parked jobs; each score is kept under the registry's name.
local BIN_KEYS = {"job", "results", "timeline", "attempts", "dependents", "dependencies", "binned", "bin", "events",
  "queue", "wake", "started", "scheduled", "parked", "failed", "finished", "deferred", "canceled"}
local REGISTRIES = {"scheduled", "parked", "failed", "finished", "deferred", "canceled"}
local OF_THE_JOB = {"job", "results", "timeline", "attempts", "dependents", "dependencies"}

local function bin_keys()
  local named = {}
  for i, name in ipairs(BIN_KEYS) do
    named[name] = KEYS[i]
  end
  return named
end
