import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { newLogName } from '../src/disk/file-names.ts';
import { type LogEnd, totalsAfter } from '../src/log/backward-reader.ts';
import { encodeBatch } from '../src/log/encode-batch.ts';
import { LogFollower } from '../src/log/log-follower.ts';
import { encodeLine, TORN } from '../src/log/log-line.ts';
import type { LogHeader } from '../src/log/log-reader.ts';
import { newestItems } from '../src/sessions/session-log.ts';
import { itemLine, type SessionLine, SessionView, writeLine } from '../src/sessions/session-view.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

const HEADER: LogHeader = { keepsake: 'session', version: 1, of: 'chat' };

/** A change to a log. */
type Event =
  | { readonly do: 'append'; readonly sizes: readonly number[] }
  | { readonly do: 'drop' | 'replace'; readonly items: number }
  | { readonly do: 'clear' | 'take over' }
  /** The holder pauses before it writes its batch, and another process takes over its lock. */
  | { readonly do: 'pause'; readonly sizes: readonly number[] }
  /** A paused holder writes its batch. */
  | { readonly do: 'resume' }
  | { readonly do: 'tear'; readonly part: number }
  | { readonly do: 'flip'; readonly part: number; readonly bit: number };

const sizes = fc.array(fc.oneof(fc.nat(80), fc.integer({ min: 5_000, max: 40_000 })), { minLength: 1, maxLength: 4 });
const part = fc.double({ min: 0, max: 1, noNaN: true });
const orderly: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: sizes.map((sizes) => ({ do: 'append' as const, sizes })) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('drop', 'replace'), items: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
);
const disorderly: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: orderly },
  { weight: 1, arbitrary: fc.constant({ do: 'take over' as const }) },
  { weight: 1, arbitrary: sizes.map((sizes) => ({ do: 'pause' as const, sizes })) },
  { weight: 2, arbitrary: fc.constant({ do: 'resume' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tear' as const), part }) },
);
const damaging: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: disorderly },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('flip' as const), part, bit: fc.nat(7) }) },
);

/** A log by several writers, each of which follows the rules. */
class Writers {
  readonly #folder: string;
  #bytes: Buffer = Buffer.from(encodeLine(JSON.stringify(HEADER)));
  #generation = 1;
  #item = 0;
  #time = 0;
  readonly #paused: Buffer[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder);
    this.#save();
  }

  async take(event: Event): Promise<void> {
    if (event.do === 'take over') this.#generation++;
    else if (event.do === 'flip') this.#flip(event.part, event.bit);
    else if (event.do === 'resume') this.#bytes = Buffer.concat([this.#bytes, this.#paused.shift() ?? Buffer.alloc(0)]);
    else {
      const batch = await this.#batch(event);
      if (event.do === 'pause') {
        this.#paused.push(batch);
        this.#generation++;
      } else if (event.do === 'tear') {
        this.#bytes = Buffer.concat([this.#bytes, batch.subarray(0, Math.floor(batch.length * event.part))]);
      } else this.#bytes = Buffer.concat([this.#bytes, batch]);
    }
    this.#save();
  }

  async #batch(event: Event): Promise<Buffer> {
    const { follower, view } = this.follow();
    return follower.read(() => {
      const { reader, torn } = follower;
      const head = torn ? TORN : '';
      const from = 'items' in event ? (view.items.at(-event.items)?.number ?? 0) : 0;
      const added = 'sizes' in event ? event.sizes : event.do === 'replace' || event.do === 'tear' ? [3, 30] : [];
      const items = added.map((size) =>
        itemLine(JSON.stringify({ item: this.#item++, padding: 'ä'.repeat(size / 2) })),
      );
      const drops = event.do === 'drop' || event.do === 'replace';
      const other = event.do === 'clear' ? [writeLine({ clear: true })] : drops ? [writeLine({ drop: from })] : [];
      const held = drops ? view.totalsBelow(from) : view.totals;
      const kept = event.do === 'clear' ? { ...held, items: 0, bytes: 0 } : held;
      const { bytes } = encodeBatch(
        {
          first: reader.next,
          generation: this.#generation,
          at: new Date(this.#time++).toISOString(),
          start: this.#bytes.length + head.length,
          footerInput: { kept, items: items.length, live: items.length, back: reader.newest },
        },
        [...other, ...items],
      );
      return Buffer.concat([Buffer.from(head), bytes]);
    });
  }

  #flip(part: number, bit: number): void {
    const at = Math.min(this.#bytes.length - 1, Math.floor(this.#bytes.length * part));
    this.#bytes[at] = (this.#bytes[at] as number) ^ (1 << bit);
  }

  follow() {
    const view = new SessionView(() => {});
    return { view, follower: new LogFollower<SessionLine>(this.#folder, HEADER, view) };
  }

  #save(): void {
    rmSync(this.#folder, { recursive: true });
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, newLogName(this.#generation, 1)), this.#bytes);
  }
}

let folders = 0;

/** Fails if reading backwards ever contradicts a full read. Returns how many backward reads had an answer. */
async function compare(events: readonly Event[]): Promise<{ readonly answered: number; readonly of: number }> {
  const writers = new Writers(join(root, String(folders++)));
  let answered = 0;
  for (const event of events) {
    await writers.take(event);
    const { follower, view } = writers.follow();
    const all = await follower.read((read) => view.items.flatMap((item) => (item.damaged ? [] : [read(item).item])));
    const { reader, torn } = follower;
    for (const count of [0, 1, 3, Infinity]) {
      const found = await follower.readFromBehind((end, lines) => ({ end, items: newestItems(lines, count) }));
      if (found === undefined) continue;
      answered++;
      expect(found.items).toEqual(all.slice(Math.max(0, all.length - count)));
      const end = found.end as LogEnd;
      expect(end).toMatchObject({ position: reader.position, next: reader.next, torn });
      expect(end.newest && { offset: end.newest.offset, end: end.newest.end }).toEqual(reader.newest);
      expect(end.newest && totalsAfter(end.newest)).toEqual(end.newest && view.totals);
    }
  }
  return { answered, of: 4 * events.length };
}

describe('reading a log backwards', () => {
  it('always returns the same as a full read if nothing unusual happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(orderly, { minLength: 1, maxLength: 25 }), async (events) => {
        const { answered, of } = await compare(events);
        expect(answered).toBe(of);
      }),
      { numRuns: rounds(40, 10) },
    );
  });

  it('returns the same as a full read, or leaves the answer to it, if writers pause, die and resume', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(disorderly, { minLength: 1, maxLength: 25 }),
        async (events) => void (await compare(events)),
      ),
      { numRuns: rounds(150, 30) },
    );
  });

  it('returns the same items as a full read, or leaves the answer to it, if bits flip', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(damaging, { minLength: 1, maxLength: 15 }), async (events) => {
        const writers = new Writers(join(root, String(folders++)));
        for (const event of events) await writers.take(event);
        const { follower, view } = writers.follow();
        const all = await follower.read((read) =>
          view.items.flatMap((item) => (item.damaged ? [] : [read(item).item])),
        );
        const found = await follower.readFromBehind((_, lines) => newestItems(lines, Infinity));
        if (found !== undefined) expect(found).toEqual(all);
      }),
      { numRuns: rounds(150, 30) },
    );
  });
});
