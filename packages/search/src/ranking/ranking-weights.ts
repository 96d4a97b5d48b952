/**
 * All weights of the ranking. They were chosen together on the development halves of LoCoMo (friends exchanging short
 * messages) and BEAM (a user and an assistant that answers in essays), by changing one at a time while the recall of both
 * rose, and rounded where recall is flat. docs/recall.md shows the effect of each, and how weights chosen on one data set do
 * on the other.
 */
export const WEIGHTS = {
  /**
   * BM25's saturation: a word that occurs once in a text of n terms gives 1 / (1 + saturation + length * n) of its worth. A
   * message of 15 terms with a word is about it; an essay of 500 contains every word of its subject and says little about
   * each. That depends on the text itself, so no average length takes part.
   */
  saturation: 0.4,
  length: 0.04,
  /**
   * Texts of more than `length` terms are essays: answers of several paragraphs, not messages, facts or notes. The range of
   * their share among all texts and `prior` others from talk to a chat with essays: a few pasted documents do not make one.
   */
  essays: { length: 100, prior: 10, from: 0.15, to: 0.3 },

  /**
   * Matches inside words: for a word that at most `few` documents have, or `fewUnstemmed` if the forms of its language are not
   * known, similar terms count, too: at most `terms` of them. Each is worth a share of the word, `instead` if no document has
   * the word and `besides` otherwise, times the share of its tier. Besides the word, only terms of the first tier count.
   */
  inside: {
    few: 5,
    fewUnstemmed: 100,
    terms: 16,
    instead: 0.7,
    besides: 0.3,
    tiers: [
      { from: 0.6, below: Infinity, share: 1 },
      { from: 0.5, below: 0.6, share: 0.6 },
      { from: 0, below: 0.5, share: 0.3 },
    ],
  },
  /** Words of the query as one ("wifi" for "wi-fi", "logout" for "logged out"), as a share of a word. */
  joined: 0.7,
  /** Words for the same thing as one of the query ("mum", "mother"), as a share of its worth. */
  same: 0.75,
  /** Members of a category in the query ("guitar" for "instrument"), as a share of the worth of its own words. */
  kind: 0.5,
  /** Words that frame a request ("summary", "list", "mention"), as a share of other words. */
  framing: 0.6,

  /** The worth of unusual nearness, as a share of the highest word score. */
  meaning: 0.3,

  /** The share of a turn's own score that the next turn gets, between people. */
  before: 0.5,
  /** The same in a chat with an assistant, whose answers repeat the question. */
  beforeWithRoles: 0.2,
  /** The share of a turn's own score that the turn before it gets. */
  after: 0.4,
  /** The share of each further step, relative to the step before. */
  fall: 0.5,
  fallWithRoles: 0.3,
  /** The maximum number of steps. */
  steps: 3,
  /** The factor for a question and the turn right after it, which may answer it, between people. */
  answer: 2,

  /** The worth of a query word in the turn or around it, as a share of its idf. */
  around: { talk: 0.4, essays: 0.05 },
  /** The number of steps over which that falls linearly to 0. */
  aroundSteps: 13,

  /** A turn whose speaker the query names, unless it names all speakers. */
  speaker: 1.8,
  /** A turn of the user: people mostly ask about what they said. */
  user: 2,
  /** A turn of the assistant, if the query asks for that: "what did you recommend". */
  assistant: 1.5,
  /** A standing instruction of the user ("Always answer in metric units"), which applies from then on. */
  instructs: 2,
  /** The same, if the query asks for a fact: "When is the meeting?" */
  instructsFact: 1.4,
  /** A question between people: its answer is more likely what is needed. */
  asks: 0.9,
  /** A turn that mentions a time, if the query asks when. */
  when: 1.3,
  /** The newest candidate, if the query asks for the present ("now", "currently"). The oldest has the factor 1. */
  present: 1.5,

  /** What an entry says is over ("used to", "until June", "no longer"), if the query asks in the present tense. */
  over: 0.8,
  /** What an entry says has changed ("was raised to 8 hours"), if the query asks for the present. The inverse of `over`. */
  changed: 1.25,

  /** A turn from the day, month or year that the query names. */
  day: 3.5,
  month: 2,
  year: 1.3,
  /** People talk about a day later. The factor falls linearly over this many days after it. */
  daysAfter: 14,
  /** Clocks of other time zones are ahead by up to this many days. */
  daysBefore: 1,

  /** The number of best documents by words to rank, with the turns beside them. */
  pool: 60,
  /** But at least this many per requested entry. */
  poolPerHit: 3,
} as const;
