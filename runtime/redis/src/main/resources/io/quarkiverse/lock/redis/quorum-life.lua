-- Whether this server has to sit out, since it may have forgotten what it granted before. What lies in it is of one life of
-- it: neither the process nor the replication id says that alone, and only the script sees both at the moment that counts.
--
-- Returns for how many ms it still sits out; or nil, and the longest lease that others agreed upon if that is another one.
local function sittingOut(marker, longest)
  local life = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') .. ':'
    .. string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
  local known, ends, agreed = string.match(redis.call('GET', marker) or '', '^(%S+) (%d+) (%d+)$')
  if known ~= life then
    -- A twentieth more, for clocks that do not go alike
    local length = math.floor(math.max(longest, tonumber(agreed or 0)) * 1.05) + 1
    redis.call('SET', marker, life .. ' ' .. whole(now + length) .. ' ' .. whole(longest))
    return length
  end
  if tonumber(agreed) ~= longest then
    return nil, agreed
  end
  return math.max(0, tonumber(ends) - now)
end
