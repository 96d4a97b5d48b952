/** Features of an utterance, as bits of one number in the index. */
export const ASKS = 1;
export const SPEAKS_OF_TIME = 2;
export const INSTRUCTS = 4;
export const IS_OVER = 8;
export const SAYS_CHANGE = 16;

/** The feature bits of a text. English only. */
export function utteranceFlags(text: string): number {
  return (
    (isQuestion(text) ? ASKS : 0) |
    (speaksOfTime(text) ? SPEAKS_OF_TIME : 0) |
    (instructs(text) ? INSTRUCTS : 0) |
    (isOver(text) ? IS_OVER : 0) |
    (saysChange(text) ? SAYS_CHANGE : 0)
  );
}

const CLOSING_SIGNS = new Set(['"', "'", '”', '’', '»', ')', '*', '_']);

/** Whether a text ends with a question. Skips a note in square brackets after it, such as a photo's caption. */
export function isQuestion(text: string): boolean {
  let said = text.trimEnd();
  if (said.endsWith(']')) said = said.slice(0, Math.max(0, said.lastIndexOf('['))).trimEnd();
  let end = said.length;
  while (end > 0 && CLOSING_SIGNS.has(said[end - 1] as string)) end--;
  return said[end - 1] === '?' || said[end - 1] === '？';
}

const TIME_WORD =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|since|recently|morning|weekend|week|month|year|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4})\b/i;

/** Whether a text mentions a time: "yesterday", "last week", "in May", "2023". */
export function speaksOfTime(text: string): boolean {
  return TIME_WORD.test(text);
}

/** Only the beginning of a message is checked for a standing instruction: the rest may be a pasted document. */
const INSTRUCTION_LENGTH = 300;
const INSTRUCTION =
  /(?:^|[.!?\n])\s*(?:(?:please|and|also|so|but|ok|okay),? )?(?:always|never|from now on|whenever i|every time i|in (?:the )?future|going forward|remember (?:to|that)|make sure you always|do(?: not|n['’]t) ever)\b/i;

/** Whether a text gives a standing instruction: "Always answer in metric units", "From now on, be brief". */
export function instructs(text: string): boolean {
  return INSTRUCTION.test(text.slice(0, INSTRUCTION_LENGTH));
}

const OVER =
  /\b(?:used to|no longer|not any ?more|formerly|previously|in the past|back then|until (?:the )?(?:(?:early|late|mid|end of|spring|summer|autumn|fall|winter) )*(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d))\b/i;

/** Whether a text says that something is no longer so: "used to work at", "until June 2024". Only its beginning is checked. */
function isOver(text: string): boolean {
  return OVER.test(text.slice(0, INSTRUCTION_LENGTH));
}

const CHANGE =
  /\b(?:changed|switched|moved|replaced|raised|increased|lowered|reduced|upgraded|migrated|renamed|postponed|rescheduled)\b/i;

/** Whether a text says that something took the place of what was so: "was raised to 8 hours". Only its beginning is checked. */
function saysChange(text: string): boolean {
  return CHANGE.test(text.slice(0, INSTRUCTION_LENGTH));
}
