/** An item of a session that can no longer be read. It is left unchanged. */
export interface DamagedItem {
  readonly sessionId: string;
  /** The key of the list in Redis that holds it. */
  readonly key: string;
  /** Its index in the list; 0 is the oldest item. */
  readonly index: number;
}

/** Called once for each damaged item by every instance that reads it. */
export type OnCorrupt = (item: DamagedItem) => void;

/** Warns on the console, without the content of the item. */
export function warnOfDamage({ key, index }: DamagedItem): void {
  console.warn(
    `Keepsake: item ${index} of the list ${JSON.stringify(key)} in Redis is not a JSON object. It is skipped and left unchanged.`,
  );
}
