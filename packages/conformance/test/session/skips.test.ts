import { describe, expect, it } from 'vitest';
import type { SessionCapabilities } from '../../src/index.ts';
import { describeSession } from '../../src/index.ts';
import { sessionCases } from '../../src/session/cases.ts';
import { everything } from './reference-harness.ts';

/** The titles of the cases that the kit runs and skips. */
function registered(
  capabilities: SessionCapabilities,
  only: { readonly concerns?: readonly string[] } = {},
): { run: string[]; skipped: string[] } {
  const found = { run: [] as string[], skipped: [] as string[] };
  const one = (title: string) => found.run.push(title);
  describeSession({
    name: 'nothing',
    describe: (_, body) => body(),
    it: Object.assign(one, { skip: (title: string) => found.skipped.push(title) }),
    capabilities,
    ...only,
    harness: () => expect.fail('no case should run'),
  });
  return found;
}

const opposites = {
  shared: ['a second instance of an id sees the items', 'a second instance of an id starts empty'],
  keepsIdOnClear: ['a cleared session keeps its id', 'a cleared session gets a new id, and keeps that'],
  durable: ['append_items appends the items in order', 'a plain Session has none of the methods of a DurableSession'],
  anyId: ['a session opened with an id has that id', 'an id that the backend did not make is refused'],
} as const;

describe('a capability that a backend lacks', () => {
  for (const [capability, [withIt, without]] of Object.entries(opposites)) {
    it(`skips its cases and runs the opposite ones: ${capability}`, () => {
      const all = registered(everything);
      expect(all.run).toContain(withIt);
      expect(all.skipped).toContain(without);
      const fewer = registered({ ...everything, [capability]: false });
      expect(fewer.skipped).toContain(withIt);
      expect(fewer.run).toContain(without);
    });
  }

  it('omits no case: run and skipped cases are always the whole kit', () => {
    const nothing = { shared: false, keepsIdOnClear: false, anyItem: false, anyId: false };
    const all = registered(everything);
    const fewest = registered(nothing);
    expect([...fewest.run, ...fewest.skipped].sort()).toEqual([...all.run, ...all.skipped].sort());
    expect(fewest.skipped.length).toBeGreaterThan(all.skipped.length);
  });
});

describe('a variant', () => {
  it('runs the cases about the concerns that it names, and no others', () => {
    const { cases } = sessionCases.find(({ concern }) => concern === 'popping') ?? expect.fail();
    expect(registered(everything, { concerns: ['popping'] }).run).toEqual(cases.map(({ title }) => title));
  });

  it('is refused if it names a concern that the kit does not have', () => {
    expect(() => registered(everything, { concerns: ['poping'] })).toThrow(
      /The kit has no concern "poping" for a session\. It has: .*popping/,
    );
  });
});
