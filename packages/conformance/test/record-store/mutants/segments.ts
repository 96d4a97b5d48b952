import { instead, type Mutants, omit } from './mutant.ts';

export const namespaceSegmentMutants: Mutants = {
  'namespaces with a segment lists those that have exactly this segment, at any depth': {
    // As a pattern in a joined path would.
    hasSegment: (namespace, segment, depth) => `:${namespace.slice(depth).join(':')}:`.includes(`:${segment}:`),
  },
  'namespaces with a segment lists none that have it only in the path of the store, or are not below': {
    hasSegment: (namespace, segment) => namespace.includes(segment),
  },
  'pages of namespaces with a segment are full, in the order of all, and continue after the previous one': instead(
    'namespaces',
    (real) =>
      async ({ segment, ...options } = {}) => {
        const page = await real(options);
        const has = (namespace: readonly string[]) => segment === undefined || namespace.includes(segment);
        return { ...page, items: page.items.filter(({ namespace }) => has(namespace)) };
      },
  ),
  // The index keeps a namespace that was emptied, and misses what was added since it was read.
  'the namespaces with a segment and their counts follow each change': instead('namespaces', (real) => {
    const known = new Map<string | undefined, ReturnType<typeof real>>();
    return (options) => {
      if (options?.segment === undefined) return real(options);
      const page = known.get(options.segment) ?? real(options);
      known.set(options.segment, page);
      return page;
    };
  }),
  'a segment that no namespace can have is refused': instead('namespaces', (real) => (options) => {
    return real(options).catch(() => real(omit(options, 'segment')));
  }),
};
