-- The quick beginning of acquire.lua, in front of all functions because defining them takes time. It handles a free name, and a
-- name whose only holder excludes all others. In any other case it changes nothing, and the script goes on behind it.
--
-- ARGV[3] claim  [4] mode  [5] limit  [6] channel, '' for none  [7] lease in ms  [8] '1' to wait  [9] owner
local all = redis.call('HLEN', key) < 3 and redis.call('HGETALL', key)
if all and (#all == 0 or #all == 2 and all[1] == 'f') then
  local fence = string.format('%.0f', math.max((all[2] or 0) + 1, us))
  local expiry = now + ARGV[7]
  redis.call('HSET', key, 'f', fence, 'h:' .. ARGV[3], string.format('%.0f', expiry) .. '|' .. ARGV[4] .. '|' .. ARGV[5] .. '|'
      .. ARGV[6] .. '|' .. fence .. '|' .. string.format('%.0f', now) .. '|' .. ARGV[9])
  local last = fence / 1000
  redis.call('PEXPIREAT', key, string.format('%.0f', (last > expiry and last or expiry) + retention))
  return { 'GRANTED', fence, 0 }
end
do
  local claim, fence, who, record, w, e = ARGV[3], nil, nil, nil, nil, nil
  local waiters, ticket, first, last, hint, rest = 0, '0', '', '', 0, nil
  if all then
    if all[1] == 'f' then
      fence, who, record = all[2], all[3], all[4]
    elseif all[3] == 'f' then
      fence, who, record = all[4], all[1], all[2]
    end
    who = string.match(who or '', '^h:(.*)$')
  else
    local known = redis.call('HMGET', key, 'v', 'f', 'e', 'w:' .. claim, 'h:' .. claim, 'k:' .. claim, 'x:' .. claim)
    if known[1] and not known[5] and not known[6] and not known[7] then
      waiters, ticket, first, last, hint, rest, who =
          string.match(known[1], '^2|(%d+)|(%d+)|1|X|([^|]*)|([^|]*)|(%d+)|(%d+||%d+|([^|]+))$')
      fence, e, w = known[2], known[3], known[4]
      if who and fence and e and (first == '') == (last == '') and not (w and first == '') then
        record = redis.call('HGET', key, 'h:' .. who)
      end
    end
  end
  local expiry, channel, since, owner
  if record and who and who ~= claim then
    expiry, channel, since, owner = string.match(record, '^(%d+)|X!?|%d+|([^|]*)|%d+|(%d+)|(.*)$')
  end
  if expiry and tonumber(expiry) > now then
    if ARGV[8] == '1' then
      local sets = { 'w:' .. claim, nil }
      local begins, told = not w and first == '', nil
      local place
      if w then
        place = string.match(w, '^%d+')
        told = now >= tonumber(hint) or tonumber(hint) > now + ROUND
      else
        ticket = string.format('%.0f', math.max(ticket + 1, fence + 1, us))
        place, told = ticket, begins
        waiters = waiters + 1
        if begins then
          first = claim
        else
          sets[3], sets[4], sets[5], sets[6] = 'a:' .. last, claim, 'b:' .. claim, last
        end
        last = claim
      end
      local seen = string.format('%.0f', now + SEEN)
      sets[2] = place .. '|' .. ARGV[4] .. '|' .. ARGV[5] .. '|' .. ARGV[6] .. '|' .. seen .. '|' .. ARGV[7] .. '|' .. ARGV[9]
      if told then
        hint = string.format('%.0f', now + ROUND)
      end
      if told or not w then
        sets[#sets + 1] = 'v'
        sets[#sets + 1] = '2|' .. waiters .. '|' .. ticket .. '|1|X|' .. first .. '|' .. last .. '|' .. hint .. '|'
            .. (rest or '1||' .. expiry .. '|' .. who)
      end
      local latest = math.max(e or expiry, seen, math.floor(fence / 1000))
      local later = not e or latest > tonumber(e)
      if later then
        sets[#sets + 1] = 'e'
        sets[#sets + 1] = string.format('%.0f', latest)
      end
      redis.call('HSET', key, unpack(sets))
      if later then
        redis.call('PEXPIREAT', key, string.format('%.0f', latest + retention))
      end
      if told and channel ~= '' then
        redis.pcall('PUBLISH', channel, 'R|' .. who .. '|' .. ticket)
      end
    end
    return { ARGV[8] == '1' and 'QUEUED' or 'BUSY', fence, tonumber(waiters), expiry - now, owner, now - since }
  end
end
