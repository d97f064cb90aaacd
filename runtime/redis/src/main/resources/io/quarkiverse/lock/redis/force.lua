-- Takes the name from its holders, and raises the fence, so that what the former holders still write can be told apart. They
-- are told; one that misses the message finds out when it renews.
--
-- ARGV[3] the newest fence when the release was asked for, see newest.lua. Whoever was granted the name later keeps it: this may
-- come long after the caller was told that it failed  [4] '1' if there may be a grace
-- Replies FORCED holders | FORMAT v
local newest = tonumber(ARGV[3])
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
local taken, fence, past = 0, 0, 0
if s.holders > 0 then
  s.rebuild() -- so that nobody is left out, whatever the heap says
  s.eachHolder(1, s.holders, function(claim, h)
    if tonumber(h.fence) <= newest then
      taken, fence, past = taken + 1, math.max(fence, tonumber(h.fence)), math.max(past, h.expiry)
      s.put((h.kept and 'k:' or 'h:') .. claim, false)
      s.put('m:' .. claim, false)
      if h.channel ~= '' and not h.kept then
        s.tell(h.channel, 'L|' .. claim .. '|' .. h.fence)
      end
    end
  end)
end
if taken > 0 then
  if ARGV[4] == '1' then
    s.forcedOut(fence, past) -- otherwise one that does not hear of it comes back in a grace
  end
  s.fence = math.max(s.fence + 1, us)
  s.put('f', number(s.fence))
  s.rebuild() -- from those that are left
end
s.dispatch(nil)
s.finish()
return { 'FORCED', taken }
