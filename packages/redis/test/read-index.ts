import type { Cluster, Redis } from 'ioredis';
import type { StoreKeys } from '../src/keys.ts';
import { unpackId } from '../src/pack-id.ts';
import { readRecord } from '../src/stored-record.ts';

const POSTING = 5;
const PLACE = 27;

/** What the index of a namespace says, by the ids of records; `?n` is a document that no record has. */
export async function readIndex(client: Redis | Cluster, keys: StoreKeys) {
  const idOf = await readDocuments(client, keys);
  const speakers = await readSpeakers(client, keys);
  const names = new Map(speakers.map(({ number, name }) => [number, name]));
  const facts = await client.hgetall(keys.facts);
  const vectors = await client.hkeys(keys.vectors);
  const counted = Object.entries(facts).filter(([field]) => /^(docs|length|turns|in:.*)$/.test(field));
  return {
    terms: sortedBy(await readTerms(client, keys, idOf)),
    threads: sortedBy(await readThreads(client, keys, idOf, names)),
    speakers: sortedBy(speakers.map(({ name, ...speaker }) => [name, [speaker.turns, speaker.called]])),
    vectors: vectors.map((document) => idOf(Number(document))).sort(),
    counted: Object.fromEntries(counted),
  };
}

async function readDocuments(client: Redis | Cluster, keys: StoreKeys): Promise<(document: number) => string> {
  const flat = await readHash(client, keys.records);
  const ids = new Map<number, string>();
  for (let at = 0; at < flat.length; at += 2) {
    const id = unpackId(flat[at] as Buffer);
    ids.set(readRecord(id, String(flat[at + 1])).document, id);
  }
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
    else if (nul > 0) note(String(field.subarray(0, nul)), value);
    else note(String(field), value.subarray(2));
  }
  return [...terms].map(([term, list]) => [term, list.sort()] as const);
}

function noteBucket(bucket: Buffer, note: (term: string, postings: Buffer) => void): void {
  for (let at = 0; at < bucket.length; ) {
    const postings = at + 2 + (bucket[at] as number);
    const end = postings + POSTING * (bucket[postings - 1] as number);
    note(String(bucket.subarray(at + 1, postings - 1)), bucket.subarray(postings, end));
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
    const places = flat[2 * span + 1] as Buffer;
    const turns = Array.from({ length: places.length / PLACE }, (_, place) => {
      const at = place * PLACE;
      const speaker = places.readUInt32BE(at + 13);
      return [
        places.readDoubleBE(at),
        idOf(places.readUInt32BE(at + 8)),
        places[at + 12],
        speaker === 0 ? undefined : (names.get(speaker) ?? `?${speaker}`),
        places.readDoubleBE(at + 17),
      ] as const;
    });
    const indexes = turns.map(([index]) => index);
    if (indexes.some((index, place) => index < (indexes[place - 1] ?? 0))) throw new Error('Turns are out of order.');
    // Of one index, they may stand in any order.
    return [String(flat[2 * span]), turns.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1))] as const;
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

/** Fields and values in turn, as bytes: ioredis makes an object of what HGETALL gives. */
async function readHash(client: Redis | Cluster, key: string): Promise<Buffer[]> {
  return (await client.callBuffer('eval', ["return redis.call('HGETALL', KEYS[1])", 1, key])) as Buffer[];
}
