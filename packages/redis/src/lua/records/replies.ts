/** The first element of what scripts of a store reply with a list that can mean several things. */
export const REPLY = {
  /** The texts of the namespace were analysed in another way. Followed by the name of that analysis. */
  otherAnalysis: 'OTHER_ANALYSIS',
  /** The script must not run before expired records are removed. */
  expired: 'EXPIRED',
  /** Register the namespace, then try again with the gate and the time that follow. */
  register: 'REGISTER',
  /** Other records are there. Followed by the document and the record of each id, 0 and null if there is none. */
  changed: 'CHANGED',
  /** Another process puts a large batch. Try again soon. */
  busy: 'BUSY',
  /** A process stopped while it put a large batch. Finish or discard it first. */
  abandoned: 'ABANDONED',
  /** What was staged is no longer there: begin again. */
  restart: 'RESTART',
  /** The change was made. Followed by its result. */
  done: 'DONE',
  /** Read the query again for the languages that follow. */
  languages: 'LANGUAGES',
  /** Find the documents that pass the filter first, because that takes long. Followed by a state if scores are compared. */
  filter: 'FILTER',
  /** Search again with the state that follows, because the server must serve others in between. */
  sections: 'SECTIONS',
  /**
   * Filter the documents that follow first, which are the best: enough of them may pass. Then 1 if no others hold a word, 0 if
   * there may be.
   */
  likely: 'LIKELY',
  /** Search again with the documents that follow as those that pass. */
  passing: 'PASSING',
  /** Index the fields that the filter uses first. */
  fields: 'FIELDS',
  /** Followed by what was found. */
  found: 'FOUND',
} as const;
