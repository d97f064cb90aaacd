-- The line of claims that wait for a name, and the tombstones of claims whose requests may come late.

function s.enqueue(claim)
  if s.last == '' then
    s.first = claim
  else
    s.put('a:' .. s.last, claim)
    s.put('b:' .. claim, s.last)
  end
  s.last = claim
  s.waiters = s.waiters + 1
end

-- Takes a claim out of the line. Everything derived is rebuilt if a neighbour that must exist is missing.
function s.dequeue(claim)
  s.put('w:' .. claim, false)
  local after = s.get('a:' .. claim)
  local before = claim ~= s.first and s.get('b:' .. claim)
  if claim ~= s.first and not before or claim ~= s.last and not after then
    return s.rebuild()
  end
  s.waiters = s.waiters - 1
  if after then
    s.put('a:' .. claim, false)
    s.put('b:' .. after, before)
  else
    s.last = before or ''
  end
  if before then
    s.put('b:' .. claim, false)
    s.put('a:' .. before, after)
  else
    s.first = after or ''
  end
end

-- Whether anybody hears this channel, by a probe that clients ignore. The probe comes before any grant, and nothing is ever
-- published that a later line may undo. A message cannot be called back: it is replicated like everything else. So it also
-- reaches subscribers that are not counted here: those of a replica, such as a demoted master that lives on.
-- In a cluster the count is that of one node and means nothing; where publishing is forbidden, there is no count.
function s.heardBy(channel)
  if s.heard[channel] == nil then
    s.heard[channel] = cluster or redis.pcall('PUBLISH', channel, 'P|0') ~= 0
  end
  return s.heard[channel]
end

-- Hands the name to the waiters in their order, up to the first that does not fit. The waiter whose request this is learns of
-- it from the reply, all others from a message. A waiter whose channel nobody hears, or that has not asked for long, is dead,
-- and the next one gets the name. A waiter without a channel finds the grant when it asks again.
function s.dispatch(asking)
  while s.first ~= '' and s.mode ~= 'X' do
    local claim = s.first
    s.fetch({ 'w:' .. claim, 'a:' .. claim })
    local w = s.get('w:' .. claim)
    if not w then
      s.rebuild()
    else
      local as, limit, channel, seen, lease, owner = string.match(w, '^%d+|(%a)|(%d+)|([^|]*)|(%d+)|(%d+)|(.*)$')
      limit = tonumber(limit)
      local told = claim ~= asking and channel ~= ''
      if claim ~= asking and tonumber(seen) <= now then
        s.dequeue(claim)
      elseif not s.fits(as, limit) then
        if tonumber(seen) > now + SEEN then
          -- The clock was set back since it asked: if it is alive, it asks again long before this
          s.put('w:' .. claim, (string.gsub(w, '^(%d+|%a|%d+|[^|]*|)%d+', '%1' .. number(now + SEEN))))
        end
        return
      else
        s.dequeue(claim)
        if not told or s.heardBy(channel) then
          s.grant(claim, as, limit, channel, owner, claim == asking and tonumber(lease)
              or math.min(CLAIM_LEASE, tonumber(lease)))
          if told then
            s.tell(channel, 'G|' .. claim .. '|' .. number(s.fence) .. '|' .. s.waiters)
          end
        end
      end
    end
  end
end

-- --- tombstones

function s.bury(claim, past, more)
  local field = 'x:' .. claim
  if not s.get(field) then
    if s.firstTomb > s.lastTomb then
      s.tombPast = past
    end
    s.lastTomb = s.lastTomb + 1
    s.put('y:' .. s.lastTomb, claim)
  end
  s.put(field, number(past) .. (more or ''))
  s.latest = math.max(s.latest, past)
end

local FORCED_OUT = '!f' -- no claim is called this

-- All holds up to this fence were taken by force, and their holders may believe in them until this time.
function s.forcedOut(fence, past)
  local field = s.get('x:' .. FORCED_OUT) or ''
  s.bury(FORCED_OUT, math.max(past, tonumber(string.match(field, '^%d+')) or 0),
      '|' .. number(math.max(fence, s.lastForcedOut())))
end

function s.lastForcedOut()
  return tonumber(string.match(s.get('x:' .. FORCED_OUT) or '', '|(%d+)$')) or 0
end

-- Drops some tombstones that are past. One that lies behind a longer one is dropped later, and refuses nothing meanwhile.
function s.dropTombs()
  for _ = 1, 4 do
    if s.firstTomb > s.lastTomb or s.tombPast > now then
      return
    end
    local claim = s.get('y:' .. s.firstTomb)
    local past = claim and tonumber(string.match(s.get('x:' .. claim) or '', '^%d+')) or 0
    if past > now then
      s.tombPast = past
      return
    end
    if claim then
      s.put('x:' .. claim, false)
    end
    s.put('y:' .. s.firstTomb, false)
    s.firstTomb = s.firstTomb + 1
    s.tombPast = 0
  end
end
