export interface VectorHit<Key> {
  readonly key: Key;
  /** The cosine of the angle to the query: 1 for the same direction, 0 for nothing in common, -1 for the opposite. */
  readonly score: number;
}

/** The vectors of an index, each in a slot. */
export interface Slots<Key> {
  /** All slots are below. */
  end(): number;
  /** By slot: when its vector was set, from 1; 0 for none. */
  created(): Float64Array;
  /** When the newest vector was set. */
  newest(): number;
  /** How many changes there have been. */
  changes(): number;
  cosine(query: Float32Array, slot: number): number;
  slotOf(key: Key): number | undefined;
  keyOf(slot: number): Key;
}
