/** An item of a session that is not a valid JSON object. It is kept unchanged. */
export interface DamagedItem {
  readonly sessionId: string;
  /** The `seq` of its row in `keepsake_items`. */
  readonly seq: number;
}

/** Each session instance calls it once per damaged item that it reads. */
export type OnCorrupt = (item: DamagedItem) => void;

/** Warns on the console. Never shows the content of the item. */
export function warnOfDamage({ sessionId, seq }: DamagedItem): void {
  console.warn(
    `Keepsake: item ${seq} of session ${JSON.stringify(sessionId)} in keepsake_items is not a JSON object. It is skipped and kept unchanged.`,
  );
}
