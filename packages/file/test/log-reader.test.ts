import { describe, expect, it } from 'vitest';
import { cutLines, encodeLine, TORN } from '../src/log/log-line.ts';
import { batchKey, type LogHeader, LogReader, type LogView, Overtaken } from '../src/log/log-reader.ts';

interface Body {
  readonly text: string;
}

/** A view that records its calls. */
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

/** The lines of a batch, in the form that a writer writes. */
function batch(first: number, texts: readonly string[], generation = 1): string[] {
  const last = first + texts.length - 1;
  const at = `time ${writes++}`;
  return texts.map((text, n) => encodeLine(JSON.stringify({ first, last, number: first + n, generation, at, text })));
}

const damage = (line: string | undefined) => (line ?? '').replace('"text"', '"tExt"');
const TORN_LINE = '0123abcd 99 {"first":1,"la';

/** Reads a log in one go, and again as long as batches turn out to be void. */
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
  throw new Error('Reading did not settle.');
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

  // The same line by line, like a reader while others write.
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
  it('are read in order', () => {
    expectLog([...batch(1, ['a', 'b']), ...batch(3, ['c']), ...batch(4, ['d', 'e', 'f'])], [...'abcdef'], [], 7);
  });

  it('count once their last line is there', () => {
    const [a, b] = batch(1, ['a', 'b', 'c']);
    expectLog([a, b], [], [], 1);
    expectLog([a, b, TORN_LINE], [], [], 1);
  });

  it('that a crash interrupted are void, and the next batch begins with the same number', () => {
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

  it('that two crashes interrupted in a row are void, and never read as one batch', () => {
    const [a, b] = batch(1, ['a', 'b', 'c']);
    expectLog([a, b, TORN_LINE, TORN], [], [], 1);
    expectLog([a, b, TORN_LINE, TORN, TORN_LINE], [], [], 1);
    expectLog([a, b, TORN_LINE, TORN, TORN_LINE, TORN, ...batch(1, ['d'])], ['d'], [], 2);
  });

  it('that lack only their last line feed are void once the next batch is written, even in the same generation', () => {
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
  ] as const)('lose only their damaged line %i, at the end of the log and before another batch', (n, texts, range) => {
    const lines = batch(1, ['a', 'b', 'c']).map((line, index) => (index === n ? damage(line) : line));
    expectLog(lines, [...texts], [[...range]], 4);
    expectLog([...lines, ...batch(4, ['d'])], [...texts, 'd'], [[...range]], 5);
  });

  it('whose lines are all damaged are reported as damaged', () => {
    const lost = batch(2, ['x', 'y']).map(damage);
    expectLog([...batch(1, ['a']), ...lost], ['a'], [[2, 3]], 4);
    expectLog([...batch(1, ['a']), ...lost, ...batch(4, ['d'])], ['a', 'd'], [[2, 3]], 5);
  });

  it('that are missing without a trace are reported as damaged', () => {
    expectLog([...batch(1, ['a']), ...batch(4, ['d'])], ['a', 'd'], [[2, 3]], 5);
    expectLog([...batch(3, ['c'])], ['c'], [[1, 2]], 4);
  });

  it('with two damaged ranges report both', () => {
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
    // Also after an unfinished batch.
    expectLog(
      [...batch(1, ['a'], 2).slice(0, 0), ...batch(1, ['b', 'c'], 2).slice(0, 1), ...batch(1, ['stale'], 1)],
      [],
      [],
      1,
    );
  });

  it('that a later generation overtook are void, however often that happens', () => {
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

  it('are distinguished if a crash left two with the same number and generation', () => {
    const lines = [...batch(1, ['cut', 'cut']).slice(0, 1), ...batch(1, ['a', 'b'])];
    const { at } = JSON.parse((lines[1] as string).slice(12));
    expect(read([header(), ...lines], new Set(), batchKey({ first: 1, generation: 1, at })).reader.found).toBe(true);
    const { at: cut } = JSON.parse((lines[0] as string).slice(12));
    expect(read([header(), ...lines], new Set(), batchKey({ first: 1, generation: 1, at: cut })).reader.found).toBe(
      false,
    );
  });

  it('that contradict each other do not cause an endless loop', () => {
    expect(() => read([header(), ...batch(1, ['a', 'b']), ...batch(2, ['c'])])).toThrow(Overtaken);
  });
});

describe('a line with a correct checksum', () => {
  it.each([
    ['invalid JSON', '{"first":1,'],
    ['a number', '5'],
    ['null', 'null'],
    ['a list', '[]'],
    ['without an envelope', '{"text":"x"}'],
    ['with a number as a string', '{"first":1,"last":"1","number":1,"generation":1,"at":"x","text":"x"}'],
    ['with impossible numbers', '{"first":2,"last":1,"number":2,"generation":1,"at":"x","text":"x"}'],
  ])('is damaged anyway if it is %s', (_, json) => {
    expectLog([...batch(1, ['a']), encodeLine(json), ...batch(3, ['c'])], ['a', 'c'], [[2, 2]], 4);
  });
});

describe('the header', () => {
  it('of another id or another kind is refused', () => {
    expect(() => read([header({ of: 'other' })])).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(() => read([header({ of: ['chat'] })])).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(() => read([header({ keepsake: 'memory' })])).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });

  it('of a newer version is refused, and the error says what to do', () => {
    expect(() => read([header({ version: 2 })])).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED', message: expect.stringContaining('Update @keepsake/file') }),
    );
  });

  it('is reported if it is damaged, torn or missing, and the lines after it are read', () => {
    for (const first of [header().replace('chat', 'chbt'), '', `${header().slice(0, 20)}${TORN}`]) {
      const { view, reader } = read([first, ...batch(1, ['a']), ...batch(2, ['b'])]);
      expect(view).toMatchObject({ texts: ['a', 'b'], damaged: [] });
      expect(view.headers).toBeGreaterThan(0);
      expect(reader.hasHeader).toBe(false);
    }
  });

  it('counts and is checked wherever it was written again', () => {
    const { view, reader } = read([header().replace('chat', 'chbt'), ...batch(1, ['a']), header(), ...batch(2, ['b'])]);
    expect(view).toMatchObject({ texts: ['a', 'b'], damaged: [], headers: 0 });
    expect(reader.hasHeader).toBe(true);
    expect(() => read([...batch(1, ['a']), header({ of: 'other' })])).toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });
});
