/** Arguments of one call: engines limit their number. */
const CODES = 0x8000;

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += CODES) {
    binary += String.fromCharCode(...bytes.subarray(from, from + CODES));
  }
  return btoa(binary);
}

/** Writes the bytes of a base64 text to `target`, from `offset` on. Returns the offset behind them. */
export function readBase64(text: string, target: Uint8Array, offset: number): number {
  const binary = atob(text);
  for (let index = 0; index < binary.length; index++) target[offset + index] = binary.charCodeAt(index);
  return offset + binary.length;
}
