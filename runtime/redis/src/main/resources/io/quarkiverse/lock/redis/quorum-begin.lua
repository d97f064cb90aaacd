-- A JVM has connected: from here on the server sits out, if it has to.
--
-- KEYS[1] the marker  ARGV[1] the longest lease: see quorum-life.lua
local left, other = sittingOut(KEYS[1], ARGV[1])
return { left and 'OUT' or 'LONGEST', left or other }
