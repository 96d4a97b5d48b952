import { STAT } from './index-stats.ts';
import { GATE_VALID_MS } from './remove-records.ts';
import { REPLY } from './replies.ts';

/** The first write of an hour registers the namespace again, in case the registry was lost. */
const REGISTERED_MS = 3_600_000;

/**
 * Lua: makes sure that a namespace with records is registered, see `stores/registry.ts`. Needs `INDEX_STATS_LUA`.
 *
 * - `refused_by_registration(gate, gate_time)` returns the reply `register` unless the namespace is registered, or the gate is
 *   that of a registration that was just made.
 * - `set_registered()` collects the change.
 */
export const REGISTRATION_LUA = `
local is_registered = math.abs(now - stat('${STAT.registered}')) <= ${REGISTERED_MS}
local function refused_by_registration(gate, gate_time)
  if is_registered then return nil end
  local current = '.' .. (redis.call('GET', GATE) or '')
  if gate ~= current or now - gate_time > ${GATE_VALID_MS} then return { '${REPLY.register}', current, now } end
end

local function set_registered()
  if not is_registered then set_stat('${STAT.registered}', now) end
end
`;
