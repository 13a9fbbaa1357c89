-- Needs: nothing. Puts a job id on its queue and wakes one idle worker with a disposable token.
local function push(queue, wake, id, at_front)
  redis.call(at_front and "LPUSH" or "RPUSH", queue, id)
  redis.call("LPUSH", wake, 1)
  redis.call("LTRIM", wake, 0, 999)
  redis.call("PEXPIRE", wake, 2000)
end
