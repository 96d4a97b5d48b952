import { byDay } from '@keepsake/testing/share';

/**
 * What a variant of a backend can change, as the names of concerns of the kits. The backend itself passes whole kits, and
 * every night each variant does too.
 */
const CONCERNS = {
  /** Records have vectors, searches are hybrid. */
  embedder: {
    store: [
      ...['Capabilities', 'Putting', 'Superseding', 'Replacing', 'Batches', 'Deleting', 'Clearing', 'Messages'],
      ...['Searching', 'Excerpts', 'Search text is literal', 'Filters', 'Time to live', 'Descendants', 'Lifecycle'],
      ...['Aborting', 'Concurrency'],
    ],
  },
  /** The keys of a call are on one node, and those of a store on several. */
  cluster: {
    store: [
      ...['Putting', 'Ids', 'Replacing', 'Batches', 'Deleting', 'Clearing', 'Listing', 'Searching', 'Filters'],
      ...[
        'Namespaces',
        'Listing namespaces',
        'Descendants',
        'Lifecycle',
        'Concurrency',
        'Linearizability',
        'Histories',
      ],
    ],
    session: [
      ...['ids', 'reading', 'appending', 'popping', 'clearing', 'transactions', 'operation ids', 'mutations'],
      ...['compaction', 'concurrent callers', 'concurrent changes', 'linearizability', 'damage and failure'],
    ],
  },
  /** Another client, connection or durability of the same kind of database. */
  client: {
    store: [
      ...['Putting', 'Replacing', 'Batches', 'Deleting', 'Listing', 'Cursors', 'Searching', 'Filters', 'Content'],
      ...['Metadata', 'Hostile values', 'Lifecycle', 'Concurrency', 'Linearizability', 'Namespaces', 'Histories'],
    ],
    session: [
      ...['reading', 'appending', 'popping', 'JSON values', 'hostile values', 'transactions', 'operation ids'],
      ...['mutations', 'concurrent callers', 'concurrent changes', 'linearizability', 'damage and failure'],
    ],
  },
  /** Contents and items are not stored as they are given: encrypted or redacted. */
  content: {
    store: [
      ...['Capabilities', 'Putting', 'Provenance', 'Superseding', 'Replacing', 'Batches', 'Clearing', 'Adding'],
      ...['Messages', 'Searching', 'Excerpts', 'Search text is literal', 'Filters', 'Descendants', 'Content'],
      ...[
        'Metadata',
        'Nothing is shared with the caller',
        'Unknown options',
        'Hostile values',
        'Lifecycle',
        'Histories',
      ],
    ],
    session: [
      ...['identity', 'reading', 'appending', 'popping', 'JSON values', 'invalid items', 'hostile values'],
      ...['transactions', 'operation ids', 'mutations', 'compaction', 'sizes', 'windows', 'encryption'],
    ],
  },
} as const;

type Variants = typeof CONCERNS;

/** The concerns that a store of a variant is tested for by day, as an option of the kit. */
export function storeConcerns(variant: keyof Variants): { readonly concerns?: readonly string[] } {
  return byDay({ concerns: CONCERNS[variant].store });
}

/** The concerns that a session of a variant is tested for by day, as an option of the kit. */
export function sessionConcerns(variant: Exclude<keyof Variants, 'embedder'>): {
  readonly concerns?: readonly string[];
} {
  return byDay({ concerns: CONCERNS[variant].session });
}
