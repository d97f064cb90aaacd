-- Asks the holders of the name to finish. The request is noted with each hold and disappears with it; nothing else changes. The
-- holders are told; one that misses the message finds out when it renews. A holder that has finished and only keeps the name
-- has nothing to give back.
--
-- Replies ASKED holders | FORMAT v
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
local asked = 0
s.eachHolder(1, s.holders, function(claim, h)
  if not h.kept then
    asked = asked + 1
    h.asked = '!'
    s.writeHold(claim, h)
    if h.channel ~= '' then
      s.tell(h.channel, 'A|' .. claim)
    end
  end
end)
s.finish()
return { 'ASKED', asked }
