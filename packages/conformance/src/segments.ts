/** What is no segment of a namespace. */
export const badSegments: readonly unknown[] = ['', 'x'.repeat(257), 'a\0b', '\ud800', 7, null, ['a'], {}];
