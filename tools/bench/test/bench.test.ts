import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../src/row.ts';

/* Every benchmark, small and without peers: that it works, not how fast anything is. */

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
  it('measures Keepsake, prints a table and writes it', { timeout: 180_000 }, async () => {
    const { status, out, errors } = await bench('--quick', '--json', 'results.json');

    expect(status, errors).toBe(0);
    expect(out).toContain('## Sessions');
    expect(out).toContain('## Files');
    const { keepsake, areas } = JSON.parse(await readFile(join(directory, 'results.json'), 'utf8'));
    expect(keepsake).toBe('sources');
    expect(Object.keys(areas)).toEqual(['sessions', 'files']);
    const rows: Row[] = Object.values<Row[]>(areas).flat();
    for (const row of rows) {
      expect(Number.isFinite(row.keepsake.value), row.measure).toBe(true);
      expect(out).toContain(row.measure);
      expect(row.peers ?? {}, row.measure).toEqual({});
    }
    const faults = rows.filter(({ keepsake: { unit } }) => unit === 'faults');
    expect(faults.map((row) => row.keepsake.value)).toEqual([0, 0]);
  });
});

describe('what it is asked for', () => {
  it('refuses an area that is not there', async () => {
    const { status, errors } = await bench('--quick', 'weather');

    expect(status).toBe(2);
    expect(errors).toContain('There is no area weather.');
  });

  it('explains itself', async () => {
    const { status, out } = await bench('--help');

    expect(status).toBe(0);
    expect(out).toContain('npm run bench -- [areas]');
  });
});
