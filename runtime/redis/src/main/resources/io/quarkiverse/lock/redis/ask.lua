-- Asks those who hold the name to finish. It is noted with each hold and goes with it; nothing else changes. They are told;
-- one that does not hear it finds out when it renews. Who has finished and only keeps the name has nothing to give.
--
-- Replies ASKED holders | FORMAT v
local format = load(nil)
if format then
  return { 'FORMAT', format }
end
local asked = 0
if holders > 0 then
  finish() -- first, because it begins with what goes through when the memory is full, as all behind it does then
end
for claim, h in pairs(hold) do
  if not h.kept then
    asked = asked + 1
    if h.asked == '' then
      h.asked = '!'
      writeHold(claim, h)
    end
    if h.channel ~= '' then
      redis.pcall('PUBLISH', h.channel, 'A|' .. claim)
    end
  end
end
return { 'ASKED', asked }
