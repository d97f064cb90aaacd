-- In a grace, nothing is granted, neither to a claim that asks nor to one that waits. A hold that the data lack is put back
-- when its holder mentions it. This file comes behind storage.lua, and replaces what could grant.
--
-- What a holder says about its hold follows the ARGV of its script: see own.lua and reclaim.lua.
local FORCED = '!' -- no claim is called this: its tombstone is that of all holders in a grace
local storedLive, storedInTheWay = s.live, s.inTheWay

function s.fits()
  return false
end

function s.dispatch()
end

-- A claim that waits or gives up is told when it may be granted at the earliest.
function s.inTheWay()
  local owner, heldFor, expiry = storedInTheWay()
  return owner, heldFor, math.max(expiry, graceLeft)
end

-- Puts back the hold of a claim as its holder describes it: fence, mode, limit, for how many ms from now it is to be held, and
-- where messages go. A fence of -1 means that it is over by the holder's clock, and must not come back.
--
-- Of holds that exclude each other, the one with the greater fence wins, since the data may be older than the last grant. But
-- after a forced release in this grace, no hold comes back, whatever its fence: nobody has been granted the name since. Nor does
-- a hold that was taken by force before, whether or not others exclude it.
function s.reclaim(claim, own)
  local fence = tonumber(own.fence)
  if fence < 0 or fence <= s.lastForcedOut() or tonumber(s.get('x:' .. claim) or 0) > now or s.get('k:' .. claim)
      or tonumber(s.get('x:' .. FORCED) or 0) > now or fence < s.fence and own.mode == 'X' then
    return nil
  end
  if s.holders > 0 and (own.mode == 'X' or s.mode ~= own.mode) then
    s.rebuild()
    local others = {}
    for i = 1, s.holders do
      local who = string.match(s.item(i), '|(.*)$')
      others[i] = { who, s.holder(who) }
    end
    for _, other in ipairs(others) do
      if tonumber(other[2].fence) >= fence and other[2].expiry > now then
        return nil
      end
    end
    for _, other in ipairs(others) do
      s.ungrant(other[1], other[2])
    end
  end
  if s.get('w:' .. claim) then
    s.dequeue(claim) -- the data are from before its grant
  end
  local last = math.max(s.fence, fence)
  local h = s.grant(claim, own.mode, tonumber(own.limit), own.channel, own.owner, tonumber(own.lease))
  h.fence, h.since = number(fence), math.min(now, math.floor(fence / 1000)) -- a fence is the clock in us, or a little more
  s.fence = last
  s.put('f', number(last))
  s.writeHold(claim, h)
  return h
end

-- For a script about one claim: the hold as it is stored, or else as its holder describes it.
function s.speaks(own)
  function s.live(claim)
    return storedLive(claim) or s.reclaim(claim, own)
  end
end
