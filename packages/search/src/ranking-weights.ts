/**
 * Every number that ranking turns by its place in a conversation. They were chosen on the five development
 * conversations of LoCoMo, together, and rounded to where the figures are flat around them; docs/recall.md says what
 * each one gives, and what they give on a conversation that had no part in choosing them.
 */
export const WEIGHTS = {
  /** Words of the kind that the query names, as a share of what its own words are worth: "guitar" for "instrument". */
  kind: 0.5,

  /** What a turn lends to the one after it, as a share of what its own words give. An answer stands after its question. */
  before: 0.6,
  /** What a turn lends to the one before it. */
  after: 0.4,
  /** Each step further lends so much of what the step before did. */
  fall: 0.5,
  /** Turns further away lend nothing. */
  steps: 3,
  /** A question lends so many times as much to the turn right after it, which may be its answer. */
  answer: 2,

  /** What a word of the query is worth that was said in the turn or around it, as a share of its idf. */
  around: 0.5,
  /** In a straight line to nothing, so many turns away. */
  aroundSteps: 13,

  /** A turn counts so many times where the query names its speaker, unless it names all speakers that there are. */
  speaker: 1.8,
  /** A turn that asks counts so many times: what is looked for is rather in the answer. */
  asks: 0.9,
  /** Where the query asks when, a turn that speaks of a time counts so many times. */
  when: 1.5,

  /** Where the query names a day, month or year, a turn of that time counts so many times. */
  day: 3.5,
  month: 2,
  year: 1.3,
  /** People tell about a day later. In a straight line to nothing, so many days after. */
  daysAfter: 14,
  /** Clocks of other time zones are ahead by up to so many days. */
  daysBefore: 1,

  /** So many of the best by their words, and the turns beside them, are looked at. The rest could not catch up. */
  pool: 60,
  /** And at least so many for each entry that is asked for. */
  poolPerHit: 3,
} as const;
