-- Takes the store over. ARGV[3]: "1" where an operator has adopted it. Says which attempt this is.

if log_id and ARGV[3] ~= '1' then
  if log_id ~= my_log then return answer('other_log') end
  if less(my_epoch, epoch) then return answer('stale_epoch') end
end
redis.call('HINCRBY', KEYS[1], 'resync_attempt', 1)
log_id, epoch, applied, resync = my_log, my_epoch, '0', '1'
redis.call('HSET', KEYS[1], 'log_id', log_id, 'controller_epoch', epoch, 'applied_seq', applied, 'resync', resync,
  'resync_step', '0')
redis.call('HDEL', KEYS[1], 'parts_upto', 'parts_done')
return answer('done', redis.call('HGET', KEYS[1], 'resync_attempt'))
