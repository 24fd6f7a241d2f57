-- The rows are the state after ARGV[6]. Asked again by the same attempt, it is done already.

if log_id == my_log and epoch == my_epoch and attempt == ARGV[3] and not resync then return answer('done') end
local no = step_refusal()
if no then return answer(no) end
resync = false
redis.call('HDEL', KEYS[1], 'resync')
advance(ARGV[6])
return answer('done')
