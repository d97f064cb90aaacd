-- In a grace, in place of together.
return { 'BUSY' }
