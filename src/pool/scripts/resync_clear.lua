-- Removes the keys after meta.

local no = step_refusal()
if no then return answer(no) end
return answer('done', redis.call('UNLINK', unpack(KEYS, 2)))
