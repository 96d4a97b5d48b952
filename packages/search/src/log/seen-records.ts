import type { Namespace } from '@keepsake/core';
import { LruMap } from '@keepsake/internal';
import type { LoggedRecord } from './record-log.ts';

/** How many records are remembered, and up to which length as JSON. */
const MOST_RECORDS = 1_000;
const MOST_LENGTH = 4_096;
/** Longer lists are of records that are hardly put one by one. */
const MOST_AT_ONCE = 16;

/**
 * Records of a backend as this process read or put them last. Others may have changed them since: what is remembered is a guess,
 * with which a change of a known record takes one call rather than two, because its guards check the guess.
 */
export class SeenRecords {
  /** As JSON, because callers can change what they get. */
  readonly #records = new LruMap<string, { json?: string | undefined }>(MOST_RECORDS);

  in(namespace: Namespace): SeenInNamespace {
    const place = JSON.stringify(namespace);
    return new SeenInNamespace((id) => this.#records.getOrCreate(place + id, () => ({})));
  }
}

/** What is remembered of one namespace. */
export class SeenInNamespace {
  readonly #slot: (id: string) => { json?: string | undefined };

  constructor(slot: (id: string) => { json?: string | undefined }) {
    this.#slot = slot;
  }

  get(ids: readonly string[]): LoggedRecord[] {
    if (ids.length > MOST_AT_ONCE) return [];
    return ids.flatMap((id) => {
      const { json } = this.#slot(id);
      return json === undefined ? [] : (JSON.parse(json) as LoggedRecord);
    });
  }

  /** Remembers what records with these ids are there now: those that are not among `records` are not, or not known. */
  set(ids: readonly string[], records: readonly LoggedRecord[]): void {
    if (ids.length > MOST_AT_ONCE) return;
    const byId = new Map(records.map(({ vector: _, ...one }) => [one.record.id, one]));
    for (const id of ids) {
      const json = byId.get(id)?.writer === undefined ? undefined : JSON.stringify(byId.get(id));
      this.#slot(id).json = json !== undefined && json.length <= MOST_LENGTH ? json : undefined;
    }
  }
}
