/**
 * Every number of the ranking. They were chosen together on the development halves of LoCoMo (friends exchanging short
 * messages) and BEAM (a user and an assistant that answers in essays), by changing one at a time while the recall of both
 * rose, and rounded where it is flat. docs/recall.md says what each gives, and what weights chosen on one of them do on
 * the other.
 */
export const WEIGHTS = {
  /**
   * BM25's saturation and length normalisation. Where lengths hardly vary, a long message is no worse than a short one;
   * where essays stand among short messages, an essay holds every word of its subject and says little of it.
   */
  k1: { talk: 0.9, essays: 10 },
  b: { talk: 0.4, essays: 1 },
  /**
   * What counts as talk and as essays: the standard deviation of lengths, as a share of their mean plus `prior` terms
   * (so that three short facts are no essays). LoCoMo has 0.3, BEAM 0.9.
   */
  variety: { from: 0.35, to: 0.6, prior: 10 },

  /** Words of the kind that the query names, as a share of what its own words are worth: "guitar" for "instrument". */
  kind: 0.5,
  /** Words that say what to do with an answer ("summary", "list", "mention"), as a share of other words. */
  framing: 0.6,

  /** What uncommon nearness of meaning is worth, as a share of what the words give to the document they fit best. */
  meaning: 0.3,

  /** What a turn lends to the one after it, as a share of what its own words give, between people who talk alike. */
  before: 0.5,
  /** The same, where one of them is an assistant: its answer says what the question said, at length. */
  beforeWithRoles: 0.2,
  /** What a turn lends to the one before it. */
  after: 0.4,
  /** What each further step lends, as a share of the step before. */
  fall: 0.5,
  fallWithRoles: 0.3,
  /** Turns further away lend nothing. */
  steps: 3,
  /** How much more a question lends to the turn right after it, which may answer it, between people who talk alike. */
  answer: 2,

  /** What a word of the query is worth that was said in the turn or around it, as a share of its idf. */
  around: { talk: 0.4, essays: 0.05 },
  /** The number of steps at which that has fallen to nothing, in a straight line. */
  aroundSteps: 13,

  /** A turn whose speaker the query names, unless it names all speakers. */
  speaker: 1.8,
  /** What the user said, where the speaker is known to be the user: people ask for what they told. */
  user: 2,
  /** What the assistant said, where the query asks for that: "what did you recommend". */
  assistant: 1.5,
  /** A standing instruction of the user's ("Always answer in metric units"): it holds for all that follows. */
  instructs: 2,
  /** A turn that asks, between people who talk alike: what is looked for is rather in the answer. */
  asks: 0.9,
  /** A turn that speaks of a time, where the query asks when. */
  when: 1.3,
  /** The newest candidate, where the query asks for the present ("now", "currently"); the oldest counts once. */
  present: 1.5,

  /** A turn of the day, month or year that the query names. */
  day: 3.5,
  month: 2,
  year: 1.3,
  /** People tell about a day later. In a straight line to nothing, this many days after. */
  daysAfter: 14,
  /** Clocks of other time zones are ahead by up to this many days. */
  daysBefore: 1,

  /** How many of the best by their words are looked at, with the turns beside them. The rest could not catch up. */
  pool: 60,
  /** And at least this many for each entry that is asked for. */
  poolPerHit: 3,
} as const;
