-- Writes rows. ARGV[5]: limit of an index; the rows from ARGV[6].

local no = step_refusal()
if no then return answer(no) end
owned_limit = tonumber(ARGV[5])
write_rows(6)
return answer('done')
