-- Says whether anybody holds the name, and the newest fence, by which a forced release tells present holders from later ones.
-- Reads only.
--
-- Replies NEWEST holders fence | FORMAT v
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
return { 'NEWEST', s.holders, number(s.fence) }
