/** A value of 20 MB of JSON that only this number makes. */
export function hugeValue(number: number): string[] {
  return Array.from({ length: 200 }, (_, line) => `${number}:${line} `.repeat(20_000).slice(0, 100_000));
}
