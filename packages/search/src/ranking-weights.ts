/**
 * Every number that ranking turns by its place in a conversation. They were chosen on the five development
 * conversations of LoCoMo, together, and rounded to where the figures are flat around them; docs/recall.md says what
 * each one gives, and what they give on a conversation that had no part in choosing them.
 */
export const WEIGHTS = {
  /** What a turn lends to the one after it, as a share of its own words. The answer stands after its question. */
  before: 0.5,
  /** What a turn lends to the one before it. */
  after: 0.3,
  /** Each step further lends so much of what the step before did. */
  fall: 0.6,
  /** Turns further away lend nothing. */
  steps: 3,
  /** A question lends so many times as much to the turn right after it, which may be its answer. */
  answer: 1.5,

  /** What a word of the query is worth, as a share of its idf, that was said in the same turn or around it. */
  around: 0.4,
  /** In a straight line to nothing, so many turns away. About half of what people call one conversation. */
  aroundSteps: 13,

  /** Two words that stand side by side in the query and are both in the turn: as a share of their idf. */
  together: 0.1,

  /** A turn counts so many times where the query names its speaker, and not all speakers that there are. */
  speaker: 1.8,
  /** A speaker's name counts so much less as a word: it is in what others say to them. */
  name: 0.3,

  /** A turn that asks counts so much less: what is looked for is rather in the answer. */
  asks: 0.8,
  /** Where the query asks when, a turn that speaks of a time counts so many times. */
  when: 1.5,

  /** Where the query names a day, month or year, a turn of that time counts so many times. */
  day: 3,
  month: 1.6,
  year: 1.3,
  /** People tell about a day later. In a straight line to nothing, so many days after. */
  daysAfter: 14,
  /** Clocks of other time zones are ahead by up to so many days. */
  daysBefore: 1,

  /** So many of the best by their words, and the turns beside them, are looked at. The rest could not catch up. */
  pool: 100,
  /** And at least so many for each entry that is asked for. */
  poolPerHit: 4,
} as const;
