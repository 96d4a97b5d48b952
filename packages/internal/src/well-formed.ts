/** The position, or the one before it if it is between the halves of a surrogate pair: where a text can be cut. */
export function characterStart(text: string, position: number): number {
  return (text.codePointAt(position - 1) ?? 0) > 0xffff ? position - 1 : position;
}

/**
 * A copy of a JSON value with U+FFFD in place of lone surrogates. A stored text may have them, but the services that run
 * models refuse a request with one.
 */
export function wellFormedJson<Value>(value: Value): Value {
  // `JSON.stringify` escapes only lone surrogates this way. The first alternative skips escaped backslashes.
  return JSON.parse(JSON.stringify(value).replace(/(\\[^u])|\\ud[89a-f][\da-f]{2}/g, (_, other = '\ufffd') => other));
}
