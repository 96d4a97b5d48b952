import type { Cluster, Redis } from 'ioredis';
import type { StoreKeys } from '../src/client/keys.ts';
import { readRecord, type StoredRecord } from '../src/stores/stored-record.ts';

const POSTING = 5;
const TURN_ENTRY = 18;
const BLOCK_TURNS = 128;
const GROUP = 8;
/** What the field of a term begins with that is split into classes. */
const SPLIT = 2 ** 32 - 1;
/** The flag of a record with overflow. */
const OVERFLOW = 8;

/** The index of a namespace by the ids of its records. `?n` is a document without a record. */
export async function readIndex(client: Redis | Cluster, keys: StoreKeys) {
  const idOf = await readDocuments(client, keys);
  const speakers = await readSpeakers(client, keys);
  const names = new Map(speakers.map(({ number, name }) => [number, name]));
  const stats = await client.hgetall(keys.stats);
  const vectors = await client.hkeys(keys.vectors);
  const counted = Object.entries(stats).filter(([field]) => /^(docs|length|squares|records|in:.*)$/.test(field));
  return {
    terms: sortedBy(await readTerms(client, keys, idOf)),
    threads: sortedBy(await readThreads(client, keys, idOf, names)),
    speakers: sortedBy(speakers.map(({ name, ...speaker }) => [name, [speaker.turns, speaker.called]])),
    vectors: vectors.map((document) => idOf(Number(document))).sort(),
    flags: sortedBy((await readAll(client, keys)).map(({ record, flags }) => [record.id, flags])),
    counted: Object.fromEntries(counted),
  };
}

interface FlaggedRecord extends StoredRecord {
  /** The flags of its text, which are in its header. */
  readonly flags: number;
}

/** All records, in the order of creation. */
export async function readAll(client: Redis | Cluster, keys: StoreKeys): Promise<FlaggedRecord[]> {
  const flat = await readHash(client, keys.records);
  const fields = new Map(
    Array.from({ length: flat.length / 2 }, (_, field) => [String(flat[2 * field]), flat[2 * field + 1] as Buffer]),
  );
  const all = [...fields].flatMap(([name, value]) => {
    if (value.length === 0) throw new Error('A field of the records is empty.');
    return name.startsWith('#') ? [] : readGroup(Number(name), value, fields);
  });
  const orphans = [...fields.keys()].filter((name) => name.startsWith('#'));
  if (orphans.length > 0) throw new Error(`Overflow without a record: ${orphans}.`);
  return all.sort((a, b) => a.document - b.document);
}

/** Reads the records of a group, and removes their overflow from `fields`. */
function readGroup(number: number, group: Buffer, fields: Map<string, Buffer>): FlaggedRecord[] {
  const records: FlaggedRecord[] = [];
  for (let at = 0; at < group.length; ) {
    const [document, length] = [GROUP * number + (group[at] as number), group.readUInt16BE(at + 1)];
    at += 3 + length;
    const front = group.subarray(at - length, at);
    const overflow = fields.get(`#${document}`);
    const hasOverflow = ((front[0] as number) & OVERFLOW) !== 0;
    if (hasOverflow !== (overflow !== undefined))
      throw new Error('The overflow flag of a record does not match its fields.');
    fields.delete(`#${document}`);
    const stored = readRecord(document, Buffer.concat([front, overflow ?? Buffer.alloc(0)]));
    records.push({ ...stored, flags: (front[0] as number) >> 4 });
  }
  return records;
}

async function readDocuments(client: Redis | Cluster, keys: StoreKeys): Promise<(document: number) => string> {
  const ids = new Map((await readAll(client, keys)).map(({ document, record }) => [document, record.id]));
  const named: number[] = [];
  const buckets = (await readHash(client, keys.ids)).filter((_, place) => place % 2 === 1);
  for (const bucket of buckets) for (let at = 6; at < bucket.length; at += 10) named.push(bucket.readUInt32BE(at));
  const sorted = named.sort((a, b) => a - b);
  if (String(sorted) !== String([...ids.keys()])) throw new Error('The ids do not match the records.');
  return (document) => ids.get(document) ?? `?${document}`;
}

async function readTerms(client: Redis | Cluster, keys: StoreKeys, idOf: (document: number) => string) {
  const flat = await readHash(client, keys.terms);
  const terms = new Map<string, string[]>();
  const note = (term: string, postings: Buffer) => {
    const list = terms.get(term) ?? [];
    terms.set(term, list);
    for (let at = 0; at < postings.length; at += POSTING) {
      list.push(`${idOf(postings.readUInt32BE(at))} ${postings[at + POSTING - 1]}`);
    }
  };
  for (let at = 0; at < flat.length; at += 2) {
    const [field, value] = [flat[at] as Buffer, flat[at + 1] as Buffer];
    if (value.length === 0) throw new Error('A field of the index is empty.');
    const nul = field.indexOf(0);
    if (nul === 0) noteBucket(value, note);
    else if (nul > 0) note(termOf(field.subarray(0, nul)), value);
    else if (value.readUInt32BE(0) !== SPLIT) note(termOf(field), value.subarray(4));
  }
  return [...terms].map(([term, list]) => [term, list.sort()] as const);
}

/** The term of the name of a list, which may be the list of a class. */
function termOf(name: Buffer): string {
  return String(name).split('\u0001')[0] as string;
}

function noteBucket(bucket: Buffer, note: (term: string, postings: Buffer) => void): void {
  for (let at = 0; at < bucket.length; ) {
    const postings = at + 2 + (bucket[at] as number);
    const end = postings + POSTING * (bucket[at + 1] as number);
    note(String(bucket.subarray(at + 2, postings)), bucket.subarray(postings, end));
    at = end;
  }
}

async function readThreads(
  client: Redis | Cluster,
  keys: StoreKeys,
  idOf: (document: number) => string,
  names: ReadonlyMap<number, string>,
) {
  const flat = await readHash(client, keys.threads);
  return Array.from({ length: flat.length / 2 }, (_, span) => {
    const [name, places] = [String(flat[2 * span]), flat[2 * span + 1] as Buffer];
    const first = BLOCK_TURNS * Number(name.slice(name.indexOf('\0') + 1));
    const turns = Array.from({ length: places.length / TURN_ENTRY }, (_, place) => {
      const at = place * TURN_ENTRY;
      const speaker = places.readUInt32BE(at + 6);
      return [
        first + (places[at] as number),
        idOf(places.readUInt32BE(at + 1)),
        places[at + 5],
        speaker === 0 ? undefined : (names.get(speaker) ?? `?${speaker}`),
        places.readDoubleBE(at + 10),
      ] as const;
    });
    const indexes = turns.map(([index]) => index);
    if (indexes.some((index, place) => index < (indexes[place - 1] ?? 0))) throw new Error('Turns are out of order.');
    // Turns of the same index may be in any order.
    return [name, turns.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1))] as const;
  });
}

async function readSpeakers(client: Redis | Cluster, keys: StoreKeys) {
  return Object.entries(await client.hgetall(keys.speakers)).map(([name, json]) => {
    const [number, turns, ...called] = JSON.parse(json) as [number, number, ...string[]];
    return { number, name, turns, called };
  });
}

function sortedBy<T>(entries: readonly (readonly [string, T])[]): [string, T][] {
  return entries.map(([name, value]): [string, T] => [name, value]).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Fields and values in turn, as bytes. A script, because ioredis turns the reply of HGETALL into an object. */
async function readHash(client: Redis | Cluster, key: string): Promise<Buffer[]> {
  return (await client.callBuffer('eval', ["return redis.call('HGETALL', KEYS[1])", 1, key])) as Buffer[];
}
