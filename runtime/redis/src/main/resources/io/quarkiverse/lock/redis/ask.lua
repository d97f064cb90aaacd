-- Asks those who hold the name to finish. It is noted with each hold and goes with it; nothing else changes. They are told;
-- one that does not hear it finds out when it renews.
--
-- Replies ASKED holders | FORMAT v
local format = load(nil)
if format then
  return { 'FORMAT', format }
end
for claim, h in pairs(hold) do
  if h.asked == '' then
    h.asked = '!'
    writeHold(claim, h)
  end
  if h.channel ~= '' then
    redis.pcall('PUBLISH', h.channel, 'A|' .. claim)
  end
end
return { 'ASKED', holders }
