/**
 * The SHA-256 of a text's UTF-8, as 64 hex digits.
 *
 * UTF-8 has no lone surrogates, so texts that differ only in these have the same digest: pass JSON, which escapes them.
 */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
