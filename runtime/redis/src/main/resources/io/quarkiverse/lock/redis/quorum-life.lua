-- Whether this server must sit out, because it may have forgotten what it granted. Its data belong to one life of the server.
-- Neither the process nor the replication id alone identifies a life, and only a script sees both at the moment that counts.
--
-- The marker names that life, and says until when the server sits out, which longest lease was agreed on, and for how many ms
-- it sits out in all. What was agreed on outlives a life, since the first JVM to speak after that may differ from all others.
--
-- `said` is the longest lease of the caller in ms; after a space, that of the others, if a majority refuses the caller because
-- of it. Returns for how many ms the server still sits out; or nil, and the longest lease that others agreed on, if it is
-- another one.
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
  -- A twentieth more, for clocks that run at different speeds
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
