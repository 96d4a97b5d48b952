import { STORE_KEY_NAMES } from '../../client/keys.ts';

/** A key of a namespace by its name in Lua: `vectorLog` is `VECTOR_LOG`. */
const luaName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/**
 * Lua: names the keys of a namespace, which scripts take in the order of `StoreKeys`: `RECORDS`, `IDS` and so on. Reads the
 * time of the server as `micros` and `now`, in microseconds and milliseconds since 1970.
 */
export const NAMESPACE_KEYS_LUA = `
local ${STORE_KEY_NAMES.map(luaName).join(', ')} = unpack(KEYS)
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
`;

/** Lua: the keys of a namespace that exist only while it has records. */
export const RECORD_KEYS = [
  'records',
  'ids',
  'terms',
  'threads',
  'speakers',
  'expiry',
  'vectors',
  'vectorLog',
  'pending',
]
  .map(luaName)
  .join(', ');
