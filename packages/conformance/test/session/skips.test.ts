import { describe, expect, it } from 'vitest';
import type { SessionCapabilities } from '../../src/index.ts';
import { describeSession } from '../../src/index.ts';
import { everything } from './reference-harness.ts';

/** What the kit registers with a runner, and what of it is skipped. */
function registered(capabilities: SessionCapabilities): { run: string[]; skipped: string[] } {
  const found = { run: [] as string[], skipped: [] as string[] };
  const one = (title: string) => found.run.push(title);
  describeSession({
    name: 'nothing',
    describe: (_, body) => body(),
    it: Object.assign(one, { skip: (title: string) => found.skipped.push(title) }),
    capabilities,
    harness: () => expect.fail('nothing is to run'),
  });
  return found;
}

const opposites = {
  shared: ['a second instance of an id sees the items', 'a second instance of an id starts empty'],
  keepsIdOnClear: ['a cleared session keeps its id', 'a cleared session gets a new id, and keeps that'],
  durable: [
    'append_items appends the items in order',
    'a session that is no DurableSession has none of its methods, so that nobody takes it for one',
  ],
  anyId: ['a session opened with an id has that id', 'an id that the backend did not make is refused'],
} as const;

describe('what a backend does not promise', () => {
  for (const [capability, [withIt, without]] of Object.entries(opposites)) {
    it(`shows as skipped, and its opposite is tested: ${capability}`, () => {
      const all = registered(everything);
      expect(all.run).toContain(withIt);
      expect(all.skipped).toContain(without);
      const fewer = registered({ ...everything, [capability]: false });
      expect(fewer.skipped).toContain(withIt);
      expect(fewer.run).toContain(without);
    });
  }

  it('is never left out: run and skipped cases are always the whole kit', () => {
    const nothing = { shared: false, keepsIdOnClear: false, anyItem: false, anyId: false };
    const all = registered(everything);
    const fewest = registered(nothing);
    expect([...fewest.run, ...fewest.skipped].sort()).toEqual([...all.run, ...all.skipped].sort());
    expect(fewest.skipped.length).toBeGreaterThan(all.skipped.length);
  });
});
