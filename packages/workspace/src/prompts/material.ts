/** The tags that prompts put around untrusted text. */
const TAGS =
  /<(?=\s*\/?\s*(?:transcript|new_transcript|earlier_slug|earlier_raw_memory|memory_summary|file|results|changes)\b)/gi;

/** Escapes a text so that it can't open or close these tags, and changes nothing else. */
export function asMaterial(text: string): string {
  return text.replace(TAGS, '‹');
}
