import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const storeIn = (cwd: string) => new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' });

describe.concurrent('remember', () => {
  it('prints the id, which is the same for the same text', async () => {
    const cwd = temporaryDirectory();
    const first = await keepsake(['remember', 'Parked', 'on', 'level 3'], { cwd });
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^content-[0-9a-f]{64}\n$/), stderr: '' });
    expect((await keepsake(['remember', 'Parked on level 3'], { cwd })).stdout).toBe(first.stdout);
    expect((await storeIn(cwd).list()).items).toMatchObject([{ content: 'Parked on level 3', version: putTimes(1) }]);
  });

  it('reads standard input, with or without -', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['remember'], { cwd, input: 'Two\nlines é\n\n' });
    const { stdout } = await keepsake(['remember', '-', '--json'], { cwd, input: 'One' });
    expect(JSON.parse(stdout)).toMatchObject({ content: 'One', metadata: {}, version: putTimes(1) });
    expect((await storeIn(cwd).list({ order: 'oldest' })).items.map(({ content }) => content)).toEqual([
      'Two\nlines é',
      'One',
    ]);
  });

  it('refuses blank or too large text and creates no directory', async () => {
    const cwd = temporaryDirectory();
    for (const input of ['', ' \n', '\t']) {
      expect(await keepsake(['remember'], { cwd, input })).toMatchObject({
        exitCode: 2,
        stderr: 'keepsake: The text is empty. Pass a text to remember.\n',
      });
    }
    const large = await keepsake(['remember'], { cwd, input: 'x'.repeat(8 * 1024 * 1024) });
    expect(large).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('over 1 MiB') });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe.concurrent('recall', () => {
  it('prints the best match first, one line each', async () => {
    const cwd = temporaryDirectory();
    const store = storeIn(cwd);
    await store.putMany([
      { id: 'a', content: 'The spare key\tis under\nthe fern.', createdAt: '2026-01-02T03:04:05.678Z' },
      {
        id: 'b',
        content: 'Ilse: The fern wants water.',
        createdAt: '2026-01-03T00:00:00.000Z',
        turn: { thread: 't', index: 0, speaker: 'Ilse' },
      },
      { id: 'c', content: 'Lunch was soup.' },
    ]);
    const { exitCode, stdout, stderr } = await keepsake(['recall', 'Where', 'is', 'the', 'spare', 'key?'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^a\t\d+\.\d\d\t2026-01-02T03:04:05\.678Z\t\tThe spare key is under the fern\.\n$/);
    const fern = await keepsake(['recall', 'fern', '--limit', '1'], { cwd });
    expect(fern.stdout.trimEnd().split('\n')).toHaveLength(1);
    const said = await keepsake(['recall', 'water'], { cwd });
    expect(said.stdout).toMatch(/^b\t\d+\.\d\d\t2026-01-03T00:00:00\.000Z\tIlse\tThe fern wants water\.\n$/);
    const json = await keepsake(['recall', 'spare key', '--json'], { cwd });
    expect(JSON.parse(json.stdout)).toEqual({ items: await store.search('spare key', { maxSearchResults: 5 }) });
  });

  it('prints with --explain how scores are computed', async () => {
    const cwd = temporaryDirectory();
    const turn = { thread: 't', index: 0, speaker: 'Ilse' };
    await storeIn(cwd).putMany([
      { content: 'The fern wants water.', turn },
      { content: 'Lunch was soup.', turn: { thread: 't', index: 1, speaker: 'Omar' } },
    ]);
    const { stdout } = await keepsake(['recall', 'What does the fern of Ilse want?', '--explain'], { cwd });
    expect(stdout).toMatch(/\tThe fern wants water\.\t\(words \d\.\d\d \+ around \d\.\d\d\) × speaker 1\.80\n$/);
    const [score, words, around] = (stdout.match(/\d+\.\d\d(?=\t| |\))/g) ?? []).map(Number) as [
      number,
      number,
      number,
    ];
    expect((words + around) * 1.8).toBeCloseTo(score, 1);
  });

  it('exits with 3 without a match and creates no directory', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['recall', 'anything', '-n', 'u:alice'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr:
        'There are no matches in namespace u:alice of .keepsake. Run keepsake namespaces to list all namespaces, and choose one with --namespace.\n',
    });
    expect(await keepsake(['recall', 'anything', '--json'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '{"items":[]}\n',
      stderr: '',
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('prints no control characters of memories', async () => {
    const cwd = temporaryDirectory();
    await storeIn(cwd).put({
      id: 'i\u001b[2J',
      content: 'Beware \u001b[31mred\u0007 and \u009b2J\u0000 and\u2028more',
    });
    const { stdout } = await keepsake(['recall', 'beware'], { cwd });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028]/);
    expect(stdout).toContain('Beware red');
  });
});

describe.concurrent('list', () => {
  it('prints pages, newest first', async () => {
    const cwd = temporaryDirectory();
    await storeIn(cwd).putMany(Array.from({ length: 45 }, (_, n) => ({ id: `r${n}`, content: `Record ${n}` })));
    const ids = (stdout: string) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0]);
    const newestFirst = Array.from({ length: 45 }, (_, n) => `r${44 - n}`);
    const first = await keepsake(['list'], { cwd });
    expect(ids(first.stdout)).toEqual(newestFirst.slice(0, 20));
    const [, cursor = ''] = /--cursor (\S+),/.exec(first.stderr) ?? [];
    const second = await keepsake(['list', '--cursor', cursor, '-l', '30'], { cwd });
    expect(ids(second.stdout)).toEqual(newestFirst.slice(20));
    expect(second.stderr).toBe('');
    expect(ids((await keepsake(['list', '--all'], { cwd })).stdout)).toEqual(newestFirst);
    const json = JSON.parse((await keepsake(['list', '--json', '-l', '2'], { cwd })).stdout);
    expect(json).toEqual(await storeIn(cwd).list({ limit: 2 }));
    expect(JSON.parse((await keepsake(['list', '--json', '--all'], { cwd })).stdout).items).toHaveLength(45);
    expect(await keepsake(['list', '--cursor', 'nonsense'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('This cursor is not from a list with these options'),
    });
  });

  it('of an empty memory prints nothing, exits with 3 as recall does and creates no directory', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['list'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr:
        'There are no memories in the root namespace of .keepsake. Run keepsake namespaces to list all namespaces, and choose one with --namespace.\n',
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe.concurrent('forget', () => {
  it('takes the beginning of an id, with at least 6 characters of its own and of one memory', async () => {
    const cwd = temporaryDirectory();
    const input = ['trip-to-oslo-1', 'trip-to-oslo-2', '20261128-visit']
      .map((id) => JSON.stringify({ id, content: id }))
      .join('\n');
    await keepsake(['import', '-'], { cwd, input });
    expect(await keepsake(['forget', '202611'], { cwd })).toMatchObject({ exitCode: 0, stdout: '20261128-visit\n' });
    expect(await keepsake(['forget', 'trip-to-o'], { cwd })).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await keepsake(['forget', 'trip-to-osl'], { cwd })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'keepsake: Several ids begin with trip-to-osl: trip-to-oslo-2, trip-to-oslo-1. Use more of it.\n',
    });
    expect(await keepsake(['forget', 'trip-to-oslo-1'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'trip-to-oslo-1\n',
    });
  });

  it('removes memories and exits with 3 if one does not exist', async () => {
    const cwd = temporaryDirectory();
    await storeIn(cwd).putMany(['a', 'b', 'c', 'd'].map((id) => ({ id, content: id })));
    expect(await keepsake(['forget', 'a', 'b'], { cwd })).toMatchObject({ exitCode: 0, stdout: 'a\nb\n', stderr: '' });
    expect(await keepsake(['forget', 'x', 'c'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: 'c\n',
      stderr: 'There is no memory x.\n',
    });
    const json = await keepsake(['forget', 'd', 'd', '--json'], { cwd });
    expect(json.exitCode).toBe(3);
    expect(JSON.parse(json.stdout)).toEqual({ removed: ['d'], missing: ['d'] });
    expect((await storeIn(cwd).list()).items).toEqual([]);
  });

  it('accepts the ids that list prints', async () => {
    const cwd = temporaryDirectory();
    await storeIn(cwd).putMany([{ content: 'One' }, { content: 'Two' }]);
    const ids = (await keepsake(['list'], { cwd })).stdout.split('\n').flatMap((line) => line.split('\t').slice(0, 1));
    expect((await keepsake(['forget', ...ids.filter(Boolean)], { cwd })).exitCode).toBe(0);
    expect((await storeIn(cwd).list()).items).toEqual([]);
  });
});

describe.concurrent('namespaces', () => {
  it('prints the namespaces with memories, including the root and the given one', async () => {
    const cwd = temporaryDirectory();
    const root = storeIn(cwd);
    await root.putMany(Array.from({ length: 3 }, (_, n) => ({ content: String(n) })));
    await root.within(['u', 'alice']).put({ content: 'x' });
    await root.within(['u', 'al:ice%']).put({ content: 'x' });
    await root.within(['u']).putMany([{ content: 'x' }, { content: 'y' }]);
    await root.within(['users']).put({ content: 'x' });
    const all = await keepsake(['namespaces'], { cwd });
    expect(all.stdout.split('\n').sort()).toEqual(
      ['', '\t3', 'u\t2', 'u:al%3Aice%25\t1', 'u:alice\t1', 'users\t1'].sort(),
    );
    const below = await keepsake(['namespaces', '-n', 'u', '--json'], { cwd });
    expect(JSON.parse(below.stdout).items).toEqual(
      expect.arrayContaining([
        { name: 'u', namespace: ['u'], recordCount: 2 },
        { name: 'u:al%3Aice%25', namespace: ['u', 'al:ice%'], recordCount: 1 },
        { name: 'u:alice', namespace: ['u', 'alice'], recordCount: 1 },
      ]),
    );
    expect(JSON.parse(below.stdout).items).toHaveLength(3);
    expect((await keepsake(['list', '-n', 'u:al%3Aice%25'], { cwd })).stdout).toContain('x\n');
  });
});
