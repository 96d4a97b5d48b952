/** As many tokens as the largest picture costs with most providers. */
export const TOKENS_OF_FILE = 1_500;

/** Fields of text, which models read as it is, and of reasoning, which counts as if it were text. */
const TEXTS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'text content arguments output encrypted_content signature redactedContent thinking'.split(' '),
);
/** A shorter one costs no more as text. */
const MIN_FILE = 4 * TOKENS_OF_FILE;

/** Whether a field of an item is a picture or a file in Base64, alone or in a data URL. For `JSON.stringify`. */
export function isFileField(key: string, value: unknown): boolean {
  if (typeof value !== 'string' || value.length < MIN_FILE || TEXTS.has(key)) return false;
  return /^(?:data:[^,]*;base64,)?[\w+/-]*={0,2}$/.test(value);
}
