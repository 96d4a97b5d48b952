const PHRASES = [
  '(?:hi|hello|hey)(?: (?:there|again|you))?',
  'good (?:morning|afternoon|evening|night|day|bye)',
  'thanks?(?: you)?(?: (?:a lot|so much|very much|again))?',
  '(?:ok|okay|oh|yes|no|ah|well)(?:,? (?:great|good|nice|cool|fine|thanks|thank you|please|then|right|sure))*',
  "(?:that(?:['’]s| is| was) )?(?:great|good|nice|cool|right|wrong|correct|perfect|all|it|funny|fine)",
  "you(?:['’]re| are) (?:welcome|right|wrong|great|funny)",
  '(?:never ?mind|forget it|sounds good|no problem|got it|i see|no idea|well done|me too|just (?:kidding|testing))',
  '(?:see you|talk to you)(?: (?:later|soon|tomorrow))?',
  "i (?:don['’]?t|do not) know|let me (?:see|think)|nice to meet you",
];

/** A whole sentence that tells nothing: hello there, thanks a lot, that's great. */
export const SMALL_TALK = new RegExp(`^(?:${PHRASES.join('|')})[.!…]*$`, 'iu');
