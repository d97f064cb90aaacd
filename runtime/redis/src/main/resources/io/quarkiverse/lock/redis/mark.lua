-- Looks at the marker and does nothing else: a JVM that has connected finds out whether there is a grace.
--
-- Replies incarnation, and how many ms of the grace are left
return { incarnation, graceLeft }
