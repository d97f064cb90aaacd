-- Asks those who hold the name to finish. It is noted with each hold and goes with it; nothing else changes. They are told;
-- one that does not hear it finds out when it renews. Who has finished and only keeps the name has nothing to give.
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
