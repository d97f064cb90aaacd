-- Whether this server has to sit out, since it may have forgotten what it granted before. What lies in it is of one life of
-- it: neither the process nor the replication id says that alone, and only the script sees both at the moment that counts.
--
-- The marker says which life that is, until when the server sits out, the longest lease that was agreed upon, and for how many ms
-- it sits out in all. What was agreed upon outlives a life: the first to speak after that may differ from all others.
--
-- `said` is the longest lease of the caller in ms; behind a space that of others, if a majority refuses the caller for it.
-- Returns for how many ms it still sits out; or nil, and the longest lease that others agreed upon if that is another one.
local function sittingOut(marker, said)
  local longest, others = string.match(said, '^(%d+) ?(%d*)$')
  longest = tonumber(longest)
  local life = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') .. ':'
    .. string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
  local known, ends, agreed, length = string.match(redis.call('GET', marker) or '', '^(%S+) (%d+) (%d+) ?(%d*)$')
  if not agreed and others ~= '' then
    return nil, others -- it would be the first here
  end
  agreed = tonumber(agreed or longest)
  -- A twentieth more, for clocks that do not go alike
  length = known == life and tonumber(length) or math.floor(math.max(longest, agreed) * 1.05) + 1
  if known ~= life or tonumber(ends) > now + length then -- in that life, the clock was set back
    ends = whole(now + length)
    redis.call('SET', marker, life .. ' ' .. ends .. ' ' .. whole(agreed) .. ' ' .. whole(length))
  end
  if agreed ~= longest then
    return nil, whole(agreed)
  end
  return math.max(0, tonumber(ends) - now)
end
