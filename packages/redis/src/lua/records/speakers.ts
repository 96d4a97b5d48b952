import { STAT } from './index-stats.ts';

/**
 * Lua: counts the turns of speakers. Needs `HASH_BATCHES_LUA`. The field of a name in `speakers` holds a JSON list: the number
 * of the speaker, how many turns the speaker has, and what queries call the speaker.
 *
 * - `count_turns(name, aliases, by)` reads `SPEAKERS` and returns the number of the speaker. It gives a new speaker the next
 *   number, in `STATS`. `aliases` is JSON without brackets.
 * - `apply_speakers()` writes `SPEAKERS`.
 */
export const SPEAKERS_LUA = `
local speakers = {}
local function count_turns(name, aliases, by)
  local speaker = speakers[name]
  if not speaker then
    local known = redis.call('HGET', SPEAKERS, name)
    local fields = known and cjson.decode(known) or { redis.call('HINCRBY', STATS, '${STAT.speakers}', 1), 0 }
    speaker = { number = fields[1], turns = fields[2] }
    speakers[name] = speaker
  end
  speaker.turns, speaker.aliases = speaker.turns + by, aliases
  return speaker.number
end

local function apply_speakers()
  local write_speaker, flush_speakers = hash_writer(SPEAKERS)
  for name, speaker in pairs(speakers) do
    local aliases = speaker.aliases == '' and '' or ',' .. speaker.aliases
    write_speaker(name, speaker.turns > 0 and '[' .. speaker.number .. ',' .. speaker.turns .. aliases .. ']' or '')
  end
  flush_speakers()
end
`;
