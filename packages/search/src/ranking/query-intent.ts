/* What a query asks for beyond its words. English only. */

const ASKS_WHEN = /^\s*(?:when\b|(?:what|which) (?:date|day|month|year|time)\b|since when\b|how long\b)/i;

/** Whether a query asks for a time. */
export function asksWhen(query: string): boolean {
  return ASKS_WHEN.test(query);
}

const ASKS_FOR_PRESENT =
  /\b(?:now|nowadays|current|currently|latest|newest|most recent|these days|at the moment|at present|still|any ?more|up to date)\b/i;

/** Whether a query asks for the present state: "Where does she work now?", "the latest plan". */
export function asksForPresent(query: string): boolean {
  return ASKS_FOR_PRESENT.test(query);
}

const PRESENT_TENSE = /\b(?:am|is|are|do|does|can|may|must|should)\b|['’]s\b/i;
const PAST = /\b(?:was|were|did|had|been|ever|used to|before|ago|last|yesterday|(?:19|20)\d\d)\b/i;

/** Whether a query asks for what is so, not for what was: "Where does she work?" */
export function asksInPresentTense(query: string): boolean {
  return PRESENT_TENSE.test(query) && !PAST.test(query);
}

const ASKS_FOR_FACT = /^\s*(?:who|when|where|which|what|did|do|does|is|are|was|were|has|have)\b/i;
const ASKS_FOR_WORK =
  /\bhow (?:do|can|should|would|to)\b|\b(?:can|could|would) you\b|\b(?:should|recommend|suggest|help|please)\b|\bwhat (?:are|steps)\b/i;

/**
 * Whether a query asks for a fact, and not for advice or work: "When is the meeting?", but not "What should I cook?" Standing
 * instructions are for the latter.
 */
export function asksForFact(query: string): boolean {
  return ASKS_FOR_FACT.test(query) && !ASKS_FOR_WORK.test(query);
}

const ASKS_THE_ASSISTANT =
  /\b(?:did|have|had|were|are) you\b|\byou(?:['’]ve)? (?:recommend|suggest|advise|propose|gave|said|told|mention|answer|list|provide|explain|describe)|\byour (?:advice|answer|suggestion|recommendation|explanation|list)/i;

/** Whether a query asks for what the assistant said: "What did you recommend for the trip?" */
export function asksTheAssistant(query: string): boolean {
  return ASKS_THE_ASSISTANT.test(query);
}

const ASKS_SOMEBODY =
  /\?|^\s*(?:what|which|who|whom|whose|when|where|why|how|can|could|did|do|does|is|are|was|were|have|has|had|will|would|should|please)\b|\b(?:i|me|my|mine|you|your|we|us|our)\b/i;

/**
 * Whether a query asks somebody: it is a question, or speaks of the one who asks or is asked. Keywords ("order list"), code and
 * titles ask nobody.
 */
export function asksSomebody(query: string): boolean {
  return ASKS_SOMEBODY.test(query);
}
