import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { RecordInput, SessionStore } from '@keepsake/core';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../src/faults.ts';
import { Load } from '../src/load/load.ts';
import type { Sample } from '../src/sample.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--conditions=@keepsake/source', MAIN, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });

describe('npm run soak', () => {
  it('reports figures of file', () => expectFigures('file'));

  it.each(['in-memory', 'sqlite'])('reports figures of %s', { tags: ['nightly'] }, (backend) => expectFigures(backend));

  function expectFigures(backend: string): void {
    const { stdout, status } = run('--backend', backend, '--minutes', '0.03', '--seed', '7');
    expect(stdout).toMatch(/^Seed: 7\n/);
    expect(stdout).toMatch(new RegExp(`^${backend}: [1-9]\\d* operations, `, 'm'));
    for (const figure of ['read, median', 'change, p99', 'heap']) {
      expect(stdout).toMatch(new RegExp(`^  ${figure} +[\\d.]+ \\w+ +[\\d.]+ \\w+$`, 'm'));
    }
    expect(stdout).toContain('All backends passed.');
    expect(status).toBe(0);
  }

  it('names the backends that it knows', () => {
    expect(run('--backend', 'mysql').stderr).toContain('only: in-memory, file, sqlite, redis');
  });

  it.each(['minutes', 'rate'])('refuses --%s 0', (option) => {
    expect(run(`--${option}`, '0').stderr).toContain(`--${option} must be a number above 0.`);
  });
});

describe('a wrong answer ends the load', () => {
  const sessions = new InMemorySessionStore();

  it.each([
    ['a record is lost', { store: new LosesRecords({ name: 'soak' }), sessions }],
    ['a session returns other items', { store: new InMemoryStore({ name: 'soak' }), sessions: reversing(sessions) }],
  ])('when %s', async (_, opened) => {
    await expect(new Load(opened, 7).run(100_000)).rejects.toThrow('deep');
  });
});

describe('growth that is a fault', () => {
  const sample = { heap: 20_000_000, descriptors: 20 } as Sample;
  const between = (last: Partial<Sample>) =>
    faultsOf({ operations: 1, first: sample, last: { ...sample, ...last }, remains: undefined });

  it('is that of the heap and of descriptors', () => {
    expect(between({ heap: 30_000_000, descriptors: 25 })).toEqual([]);
    expect(between({ heap: 40_000_000 })).toEqual(['The heap grew by 19.1 MiB.']);
    expect(between({ descriptors: 26 })).toEqual(['6 more descriptors are open.']);
  });
});

/** Every fiftieth record is acknowledged and not stored. */
class LosesRecords extends InMemoryStore {
  #puts = 0;

  override async put(record: RecordInput, options = {}) {
    const stored = await super.put(record, options);
    if (++this.#puts % 50 === 0) await super.delete(stored.id);
    return stored;
  }

  override within(): this {
    return this;
  }
}

function reversing(sessions: SessionStore): SessionStore {
  const open = (id?: string) => {
    const session = sessions.open(id);
    return replacing(session, 'getItems', async (limit?: number) => (await session.getItems(limit)).reverse());
  };
  return replacing(sessions, 'open', open as SessionStore['open']);
}

/** The object, with another method. */
function replacing<T extends object, K extends keyof T>(object: T, name: K, method: T[K]): T {
  return new Proxy(object, {
    get(target, key) {
      if (key === name) return method;
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
