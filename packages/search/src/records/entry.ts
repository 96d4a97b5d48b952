/** What a table knows about a record without reading it. */
export interface Entry<Place> {
  readonly id: string;
  readonly created: number;
  place: Place;
  /** Its put number: a higher one was put later. 0 if it is gone. */
  put: number;
  /** Its document number in the indexes, if it is indexed. */
  document: number | undefined;
  expires: number | undefined;
  /** Its number in the index of fields. */
  slot: number;
}

/** An entry to read only. Those of a snapshot are built for each call, so they can't be compared by identity. */
export type EntryView<Place> = Readonly<
  Pick<Entry<Place>, 'id' | 'created' | 'place' | 'put' | 'document' | 'expires'>
>;

/** The format of a place in a snapshot: whole numbers between -2 ** 51 and 2 ** 51. */
export interface PlaceFormat<Place> {
  /** The number of numbers per place. */
  readonly numbers: number;
  write(place: Place): readonly number[];
  read(numbers: readonly number[]): Place;
}
