-- Writes rows. ARGV[6]: limit of an index; the rows from ARGV[7].

local no = step_refusal()
if no then return answer(no) end
owned_limit = tonumber(ARGV[6])
write_rows(7)
return answer('done')
