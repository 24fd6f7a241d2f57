-- In front of every step of a resync. ARGV[3] is the attempt that the step belongs to, ARGV[4] the step's number: one that
-- arrives late, after a later step or a later attempt, does nothing. ARGV[5] is the last step that was answered: a replica
-- that took over without it lacks rows.

local attempt, last_step = unpack(redis.call('HMGET', KEYS[1], 'resync_attempt', 'resync_step'))

local function step_refusal()
  if not log_id then return 'empty' end
  if log_id ~= my_log then return 'other_log' end
  if less(my_epoch, epoch) then return 'stale_epoch' end
  if my_epoch ~= epoch or attempt ~= ARGV[3] or not resync or less(last_step, ARGV[5]) then return 'not_resyncing' end
  if not less(last_step, ARGV[4]) then return 'repeat' end
  redis.call('HSET', KEYS[1], 'resync_step', ARGV[4])
end
