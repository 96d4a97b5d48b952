/**
 * Fields of the hash `stats`: what is known of a namespace as a whole. The names are stored, so changing one changes the data
 * format. Lengths are those of `remoteTerms`, from 1 to 9,116. Removing a document subtracts what adding it added.
 */
export const STAT = {
  /** The number of the next document. */
  nextDocument: 'next',
  /** A number that no document is below. */
  firstDocument: 'base',
  /** How many records there are. */
  records: 'records',
  /** When the namespace was created, in microseconds since 1970. */
  created: 'born',
  /** When the namespace was last registered, in milliseconds since 1970. */
  registered: 'registered',
  /** The analysis of the texts: a version and a language. */
  analysis: 'analysis',
  /** How many documents search looks at. */
  documents: 'docs',
  /** The sum of their lengths, in terms. */
  length: 'length',
  /** The sum of the squares of their lengths, from which search computes how much lengths vary. */
  squares: 'squares',
  /** The number of the newest speaker. */
  speakers: 'speaker',
  /** The number of the newest change of a vector. */
  vectors: 'vectors',
  /** A large batch that is being staged, see `staging.ts`. */
  staged: 'staged',
  /** The fields whose values are indexed, as JSON; see `field-index.ts`. */
  fields: 'fields',
  /** The fields that are being indexed, as JSON, and the first document that is not done. */
  building: 'building',
  built: 'built',
} as const;

/** The fields that count the documents in each language begin with this. */
export const LANGUAGE_STAT = 'in:';

/** The statistics of staged documents begin with this. They don't count yet. */
export const STAGED_STAT = 'staged:';

/** What every change needs. */
const READ_BY_CHANGES = [
  STAT.analysis,
  STAT.registered,
  STAT.created,
  STAT.firstDocument,
  STAT.nextDocument,
  STAT.records,
  STAT.staged,
  STAT.fields,
  STAT.building,
  STAT.built,
];

/**
 * Lua: reads the statistics that every change needs, and writes those that change. Needs `HASH_BATCHES_LUA`.
 *
 * - Reads `STATS` at once. `stats` holds the values as texts.
 * - `stat(name)` returns a number, 0 if it is missing; `set_stat(name, value)` sets a value, or removes it for ''.
 * - `add_to_stat(name, by)` changes a number that scripts never read.
 * - `write_stats()` writes `STATS`.
 */
export const INDEX_STATS_LUA = `
local STAT_NAMES = { ${READ_BY_CHANGES.map((name) => `'${name}'`).join(', ')} }
local stats, changed_stats, stat_changes = {}, {}, {}
for n, value in ipairs(redis.call('HMGET', STATS, unpack(STAT_NAMES))) do stats[STAT_NAMES[n]] = value end

local function stat(name)
  return tonumber(stats[name] or 0)
end

local function set_stat(name, value)
  stats[name] = value
  changed_stats[name] = type(value) == 'number' and string.format('%.0f', value) or value
end

local function add_to_stat(name, by)
  stat_changes[name] = (stat_changes[name] or 0) + by
end

local function write_stats()
  local set, flush = hash_writer(STATS)
  for name, value in pairs(changed_stats) do set(name, value) end
  flush()
  for name, by in pairs(stat_changes) do
    if by ~= 0 and redis.call('HINCRBY', STATS, name, by) == 0 then redis.call('HDEL', STATS, name) end
  end
end
`;
