/** An item of a session that can not be read any more. It is kept as it is. */
export interface DamagedItem {
  readonly sessionId: string;
  /** The list in Redis that holds it. */
  readonly key: string;
  /** Its place in the list; 0 is the oldest. */
  readonly index: number;
}

/** Is told of each damaged item once by every instance that comes upon it. */
export type OnCorrupt = (item: DamagedItem) => void;

/** Says it on the console; never what the item holds. */
export function warnOfDamage({ key, index }: DamagedItem): void {
  console.warn(
    `Keepsake: item ${index} of the list ${JSON.stringify(key)} in Redis is no JSON object. All others are read, and it is left as it is.`,
  );
}

/** An item of its JSON text; `undefined` for one that is damaged. */
export function readItem(text: string): object | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return typeof item === 'object' && item !== null && !Array.isArray(item) ? item : undefined;
  } catch {
    return undefined;
  }
}
