-- Takes the name from its holders, and raises the fence, so that what the former holders still write can be told apart. They
-- are told; one that misses the message finds out when it renews.
--
-- Replies FORCED holders | FORMAT v
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
local taken = 0
if s.holders > 0 then
  s.rebuild() -- so that nobody is left out, whatever the heap says
  s.eachHolder(1, s.holders, function(claim, h)
    taken = taken + 1
    s.put((h.kept and 'k:' or 'h:') .. claim, false)
    s.put('i:' .. claim, false)
    s.put('m:' .. claim, false)
    if h.channel ~= '' and not h.kept then
      s.tell(h.channel, 'L|' .. claim .. '|' .. h.fence)
    end
  end)
  s.fence = math.max(s.fence + 1, us)
  s.put('f', number(s.fence))
  for i = 2, s.holders do
    s.put('p:' .. i, false)
  end
  s.holders, s.mode, s.limits, s.root = 0, '', '', '|'
end
s.dispatch(nil)
s.finish()
return { 'FORCED', taken }
