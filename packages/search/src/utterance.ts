const CLOSING_SIGNS = new Set(['"', "'", '”', '’', '»', ')', '*', '_']);

/** Whether a text ends by asking; what stands in square brackets after that, such as a note of a photo, is passed over. */
export function isQuestion(text: string): boolean {
  let said = text.trimEnd();
  if (said.endsWith(']')) said = said.slice(0, Math.max(0, said.lastIndexOf('['))).trimEnd();
  let end = said.length;
  while (end > 0 && CLOSING_SIGNS.has(said[end - 1] as string)) end--;
  return said[end - 1] === '?' || said[end - 1] === '？';
}

const TIME_WORD =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|since|recently|morning|weekend|week|month|year|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4})\b/i;

/** Whether an English text speaks of a time: "yesterday", "last week", "in May", "2023". */
export function speaksOfTime(text: string): boolean {
  return TIME_WORD.test(text);
}

const ASKS_WHEN = /^\s*(?:when\b|(?:what|which) (?:date|day|month|year|time)\b|since when\b|how long\b)/i;

/** Whether an English query asks for a time. */
export function asksWhen(query: string): boolean {
  return ASKS_WHEN.test(query);
}
