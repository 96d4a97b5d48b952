import { describe, expect, it } from 'vitest';
import { cutLines, encodeLine, TORN } from '../src/log/log-line.ts';
import { batchKey, type LogHeader, LogReader, type LogView, Overtaken } from '../src/log/log-reader.ts';

interface Body {
  readonly text: string;
}

/** Keeps what it is told. */
class Recorder implements LogView<Body> {
  texts: string[] = [];
  damaged: [number, number][] = [];
  headers = 0;

  reset(): void {
    this.texts = [];
    this.damaged = [];
    this.headers = 0;
  }
  apply({ line }: { line: Body }): void {
    this.texts.push(line.text);
  }
  damageHeader(): void {
    this.headers++;
  }
  damage(from: number, to: number): void {
    this.damaged.push([from, to]);
  }
}

const HEADER: LogHeader = { keepsake: 'session', version: 1, of: 'chat' };
const header = (of: object = {}) => encodeLine(JSON.stringify({ ...HEADER, ...of }));
let writes = 0;

/** The lines of a batch, as a writer writes them. */
function batch(first: number, texts: readonly string[], generation = 1): string[] {
  const last = first + texts.length - 1;
  const at = `time ${writes++}`;
  return texts.map((text, n) => encodeLine(JSON.stringify({ first, last, number: first + n, generation, at, text })));
}

const damage = (line: string | undefined) => (line ?? '').replace('"text"', '"tExt"');
const TORN_LINE = '0123abcd 99 {"first":1,"la';

/** Reads a log in one go, anew for as long as batches turn out to be overtaken. */
function read(lines: readonly (string | undefined)[], voided = new Set<string>(), wanted?: string) {
  for (let attempt = 0; attempt < 10; attempt++) {
    const view = new Recorder();
    const reader = new LogReader<Body>(view, HEADER, voided, wanted);
    const { pieces, rest } = cutLines(Buffer.from(lines.join('')), 0);
    try {
      reader.feed(pieces);
      reader.atEnd();
      return { view, reader, rest };
    } catch (error) {
      if (!(error instanceof Overtaken) || error.batch === undefined) throw error;
      voided.add(error.batch);
    }
  }
  throw new Error('It has no end.');
}

function expectLog(
  lines: readonly (string | undefined)[],
  texts: string[],
  damaged: [number, number][] = [],
  next?: number,
) {
  const { view, reader } = read([header(), ...lines]);
  expect({ texts: view.texts, damaged: view.damaged, headers: view.headers }).toEqual({ texts, damaged, headers: 0 });
  if (next !== undefined) expect(reader.next).toBe(next);

  // The same, line by line, as one who reads while others write.
  const slow = new Recorder();
  const all = Buffer.from([header(), ...lines].join(''));
  let again = new LogReader<Body>(slow, HEADER, new Set());
  const voided = new Set<string>();
  for (let end = 1; end <= all.length; end++) {
    if (all[end - 1] !== 0x0a && end < all.length) continue;
    for (;;) {
      try {
        again.feed(cutLines(all.subarray(again.position, end), again.position).pieces);
        again.atEnd();
        break;
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        if (error.batch !== undefined) voided.add(error.batch);
        again = new LogReader<Body>(slow, HEADER, voided);
      }
    }
  }
  expect(slow.texts).toEqual(texts);
}

describe('batches', () => {
  it('count in their order', () => {
    expectLog([...batch(1, ['a', 'b']), ...batch(3, ['c']), ...batch(4, ['d', 'e', 'f'])], [...'abcdef'], [], 7);
  });

  it('count when their last line is there', () => {
    const [a, b] = batch(1, ['a', 'b', 'c']);
    expectLog([a, b], [], [], 1);
    expectLog([a, b, TORN_LINE], [], [], 1);
  });

  it('that a crash cut short are void, and the next has the same number', () => {
    const [a, b] = batch(1, ['a', 'b', 'c']);
    expectLog([a, b, ...batch(1, ['d', 'e'])], ['d', 'e'], [], 3);
    expectLog([a, TORN_LINE, TORN, ...batch(1, ['d', 'e'], 2)], ['d', 'e'], [], 3);
    expectLog(
      [...batch(1, ['z']), ...batch(2, ['y', 'x']).slice(0, 1), TORN_LINE, TORN, ...batch(2, ['d'])],
      ['z', 'd'],
      [],
      3,
    );
  });

  it('that two crashes cut short, one after the other, are void and not half of one', () => {
    const [a, b] = batch(1, ['a', 'b', 'c']);
    expectLog([a, b, TORN_LINE, TORN], [], [], 1);
    expectLog([a, b, TORN_LINE, TORN, TORN_LINE], [], [], 1);
    expectLog([a, b, TORN_LINE, TORN, TORN_LINE, TORN, ...batch(1, ['d'])], ['d'], [], 2);
  });

  it('that lack nothing but their last line feed are void once the next was written, in the same generation too', () => {
    for (const generation of [1, 2]) {
      const [whole = ''] = batch(1, ['a']);
      expect(read([header(), whole.slice(0, -1)]).view.texts).toEqual([]);
      expectLog([whole.slice(0, -1), TORN, ...batch(1, ['b'], generation)], ['b'], [], 2);
    }
  });

  it.each([
    [0, ['b', 'c'], [1, 1]],
    [1, ['a', 'c'], [2, 2]],
    [2, ['a', 'b'], [3, 3]],
  ] as const)(
    'whose line %i is damaged keep the others, at the end of the log and before another',
    (n, texts, range) => {
      const lines = batch(1, ['a', 'b', 'c']).map((line, index) => (index === n ? damage(line) : line));
      expectLog(lines, [...texts], [[...range]], 4);
      expectLog([...lines, ...batch(4, ['d'])], [...texts, 'd'], [[...range]], 5);
    },
  );

  it('that are damaged throughout are missed, by their number', () => {
    const lost = batch(2, ['x', 'y']).map(damage);
    expectLog([...batch(1, ['a']), ...lost], ['a'], [[2, 3]], 4);
    expectLog([...batch(1, ['a']), ...lost, ...batch(4, ['d'])], ['a', 'd'], [[2, 3]], 5);
  });

  it('that are gone without a trace are missed too', () => {
    expectLog([...batch(1, ['a']), ...batch(4, ['d'])], ['a', 'd'], [[2, 3]], 5);
    expectLog([...batch(3, ['c'])], ['c'], [[1, 2]], 4);
  });

  it('with two stretches of damage report both', () => {
    const [a, b, c, d, e] = batch(1, [...'abcde']);
    expectLog(
      [a, damage(b), c, damage(d), e],
      ['a', 'c', 'e'],
      [
        [2, 2],
        [4, 4],
      ],
      6,
    );
  });

  it('of a lower generation after a higher one are void', () => {
    expectLog([...batch(1, ['a']), ...batch(2, ['b'], 2), ...batch(2, ['stale', 'stale'], 1)], ['a', 'b'], [], 3);
    // Also after a batch that has no end.
    expectLog(
      [...batch(1, ['a'], 2).slice(0, 0), ...batch(1, ['b', 'c'], 2).slice(0, 1), ...batch(1, ['stale'], 1)],
      [],
      [],
      1,
    );
  });

  it('that were overtaken are void, as often as it happens', () => {
    expectLog([...batch(1, ['stale', 'stale'], 1), ...batch(1, ['b'], 2)], ['b'], [], 2);
    expectLog(
      [...batch(1, ['x'], 1), ...batch(1, ['y', 'z'], 2), ...batch(1, ['a'], 3), ...batch(2, ['b'], 3)],
      ['a', 'b'],
      [],
      3,
    );
    expectLog(
      [...batch(1, ['a']), ...batch(2, ['x'], 1), ...batch(2, ['b'], 2), ...batch(2, ['y'], 1)],
      ['a', 'b'],
      [],
      3,
    );
  });

  it('are told apart where a crash made two of the same number and generation', () => {
    const lines = [...batch(1, ['cut', 'cut']).slice(0, 1), ...batch(1, ['a', 'b'])];
    const { at } = JSON.parse((lines[1] as string).slice(12));
    expect(read([header(), ...lines], new Set(), batchKey({ first: 1, generation: 1, at })).reader.found).toBe(true);
    const { at: cut } = JSON.parse((lines[0] as string).slice(12));
    expect(read([header(), ...lines], new Set(), batchKey({ first: 1, generation: 1, at: cut })).reader.found).toBe(
      false,
    );
  });

  it('that contradict one another are no endless task', () => {
    expect(() => read([header(), ...batch(1, ['a', 'b']), ...batch(2, ['c'])])).toThrow(Overtaken);
  });
});

describe('a line whose checksum is right', () => {
  it.each([
    ['no JSON', '{"first":1,'],
    ['a number', '5'],
    ['null', 'null'],
    ['a list', '[]'],
    ['without an envelope', '{"text":"x"}'],
    ['with numbers that are none', '{"first":1,"last":"1","number":1,"generation":1,"at":"x","text":"x"}'],
    ['with numbers that can not be', '{"first":2,"last":1,"number":2,"generation":1,"at":"x","text":"x"}'],
  ])('is damaged all the same when it is %s', (_, json) => {
    expectLog([...batch(1, ['a']), encodeLine(json), ...batch(3, ['c'])], ['a', 'c'], [[2, 2]], 4);
  });
});

describe('the header', () => {
  it('of another id, or another kind, is refused', () => {
    expect(() => read([header({ of: 'other' })])).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(() => read([header({ of: ['chat'] })])).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(() => read([header({ keepsake: 'memory' })])).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });

  it('of a newer version is refused, with advice', () => {
    expect(() => read([header({ version: 2 })])).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED', message: expect.stringContaining('Update @keepsake/file') }),
    );
  });

  it('is missed where it is damaged, cut or not there; the lines after it are read', () => {
    for (const first of [header().replace('chat', 'chbt'), '', `${header().slice(0, 20)}${TORN}`]) {
      const { view, reader } = read([first, ...batch(1, ['a']), ...batch(2, ['b'])]);
      expect(view).toMatchObject({ texts: ['a', 'b'], damaged: [] });
      expect(view.headers).toBeGreaterThan(0);
      expect(reader.hasHeader).toBe(false);
    }
  });

  it('counts wherever it was written again, and is checked there', () => {
    const { view, reader } = read([header().replace('chat', 'chbt'), ...batch(1, ['a']), header(), ...batch(2, ['b'])]);
    expect(view).toMatchObject({ texts: ['a', 'b'], damaged: [], headers: 0 });
    expect(reader.hasHeader).toBe(true);
    expect(() => read([...batch(1, ['a']), header({ of: 'other' })])).toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });
});
