/** Where a secret is: [begin, end) in UTF-16 units. */
export type Range = readonly [begin: number, end: number];
