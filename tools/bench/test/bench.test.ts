// @module-tag nightly: runs every benchmark in small.

import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOORS } from '../src/guard/floors.ts';
import type { Row } from '../src/row.ts';
import type { Times } from '../src/scale/measure.ts';

/* Runs every benchmark at a small size and without peers, to test that it works. */

const conversations = join(import.meta.dirname, 'conversations/locomo');
const chats = join(import.meta.dirname, 'conversations/beam');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keepsake-bench-test-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function bench(...args: string[]) {
  const program = join(import.meta.dirname, '../src/main.ts');
  const child = spawn(process.execPath, ['--conditions=@keepsake/source', program, ...args], {
    env: { ...process.env, INIT_CWD: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, out, errors] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { status, out, errors };
}

describe('every area', () => {
  it('measures Keepsake, prints a table and saves it', { timeout: 900_000 }, async () => {
    const { status, out, errors } = await bench('--quick', '--json', 'results.json', '--data', conversations);

    expect(status, errors).toBe(0);
    expect(out).toContain('## Sessions');
    expect(out).toContain('## Files');
    expect(out).toContain('## Redis');
    expect(out).toContain('## PostgreSQL');
    expect(out).toContain('## Prisma');
    expect(out).toContain('## SQLite');
    expect(out).toContain('## Search');
    expect(out).toContain('## Manager');
    expect(out).toContain('## Scale');
    expect(out).toContain('## Workspace');
    expect(out).toContain('## Redaction');
    expect(out).toContain('## LangGraph');
    expect(out).toContain('## Lost');
    expect(out).toContain('## Recall');
    expect(out).toContain('## Injected');
    expect(out).not.toContain('## Guard');
    const { keepsake, areas } = JSON.parse(await readFile(join(directory, 'results.json'), 'utf8'));
    expect(keepsake).toBe('sources');
    expect(Object.keys(areas)).toEqual([
      'sessions',
      'files',
      'redis',
      'postgres',
      'prisma',
      'sqlite',
      'search',
      'manager',
      'scale',
      'workspace',
      'redaction',
      'langgraph',
      'lost',
      'recall',
      'injected',
    ]);
    const { recall, injected, scale, lost, ...others } = areas;
    expect(recall.systems[0]).toMatchObject({
      name: 'Keepsake InMemoryStore',
      byCategory: { all: { questions: 3, 'R@20': { mean: 1, low: 1, high: 1 } } },
      byConversation: { garden: { questions: 3 } },
    });
    expect(injected.systems[0]).toMatchObject({
      name: 'Keepsake',
      byCategory: { all: { questions: 3 } },
    });
    expect(lost).toEqual([
      expect.objectContaining({ name: 'Keepsake FileStore', written: 50, failed: 0, lost: 0 }),
      expect.objectContaining({ name: 'Keepsake SqliteStore', written: 50, failed: 0, lost: 0 }),
    ]);
    for (const sizes of Object.values<Record<string, Times>>(scale)) {
      for (const [measure, value] of Object.entries(sizes['300'] ?? {}))
        expect(Number.isFinite(value), measure).toBe(true);
    }
    const rows: Row[] = Object.values<Row[]>(others).flat();
    for (const row of rows) {
      expect(Number.isFinite(row.keepsake.value), row.measure).toBe(true);
      expect(out).toContain(row.measure);
      expect(row.peers ?? {}, row.measure).toEqual({});
    }
    const faults = rows.filter(({ keepsake: { unit } }) => unit === 'faults');
    expect(faults.map((row) => row.keepsake.value)).toEqual([0, 0, 0]);
  });
});

describe('the guard', () => {
  it('measures every figure in a quick run and judges none', async () => {
    const { status, out, errors } = await bench('--quick', 'guard', '--json', 'guard.json');

    expect(status, errors).toBe(0);
    expect(out.match(/not judged/g)).toHaveLength(FLOORS.length);
    const { areas } = JSON.parse(await readFile(join(directory, 'guard.json'), 'utf8'));
    expect(areas.guard.map(({ figure }: { figure: string }) => figure)).toEqual(FLOORS.map(({ figure }) => figure));
    for (const { figure, ratio } of areas.guard) expect(ratio, figure).toBeGreaterThan(0);
  });
});

describe('the command line', () => {
  it('refuses an unknown area', async () => {
    const { status, errors } = await bench('--quick', 'weather');

    expect(status).toBe(2);
    expect(errors).toContain('Unknown area: weather.');
  });

  it('requires the data of an area', async () => {
    const { status, errors } = await bench('--quick', 'recall');

    expect(status).toBe(2);
    expect(errors).toContain('recall needs --data DIR: a directory with conversations of LoCoMo');
  });

  it('resolves the data directory from where it is called', async () => {
    await cp(conversations, join(directory, 'talks'), { recursive: true });
    const { status, out, errors } = await bench('--quick', 'recall', '--data', 'talks');

    expect(status, errors).toBe(0);
    expect(out).toContain('Conversations: 1. Entries: 6. Questions: 3.');
  });

  it('measures recall and injection on chats of BEAM', async () => {
    const { status, out, errors } = await bench('--quick', 'recall', 'injected', '--data', chats);

    expect(status, errors).toBe(0);
    expect(out).toContain('BEAM. Conversations: 1. Entries: 4. Questions: 2.');
    expect(out).toContain('BEAM. Conversations: 1. Questions: 2, and 1 unanswerable.');
  });

  it('measures weights that were chosen without a family of data sets', async () => {
    const { status, out, errors } = await bench('--quick', 'weights', '--data', conversations, '--data', chats);

    expect(status, errors).toBe(0);
    expect(out).toMatch(/locomo, turns .*locomo .*beam, turns .*beam .*/s);
    expect(out).toContain('without locomo');
    expect(errors).toContain('choosing without beam');
  });

  it('refuses a directory with other files', async () => {
    const { status, errors } = await bench('--quick', 'injected', '--data', join(import.meta.dirname, '..'));

    expect(status).toBe(1);
    expect(errors).toContain(
      'package-lock.json contains no conversation. --data must be a directory with conversations',
    );
  });

  it('refuses a missing data directory', async () => {
    const { status, errors } = await bench('--quick', 'recall', '--data', 'nowhere');

    expect(status).toBe(2);
    expect(errors).toContain('--data is not a directory: nowhere');
  });

  it('prints its usage with --help', async () => {
    const { status, out } = await bench('--help');

    expect(status).toBe(0);
    expect(out).toContain('npm run bench -- [areas]');
  });
});
