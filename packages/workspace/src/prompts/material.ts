/** The tags that prompts put around what others wrote. */
const TAGS =
  /<(?=\s*\/?\s*(?:transcript|new_transcript|earlier_slug|earlier_raw_memory|memory_summary|file|results|changes)\b)/gi;

/** A text as material between tags, none of which it can open or close. All else stays as it is. */
export function asMaterial(text: string): string {
  return text.replace(TAGS, '‹');
}
