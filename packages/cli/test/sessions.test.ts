import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileSession } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const open = (cwd: string, sessionId: string) => new FileSession({ directory: join(cwd, '.keepsake'), sessionId });

const items = [
  { type: 'message', role: 'user', content: 'How warm is\tit\nin Ghent?' },
  { type: 'function_call', callId: '1', name: 'weather', arguments: '{"city":"Ghent"}' },
  { type: 'function_call_result', callId: '1', output: { type: 'text', text: '14 degrees' } },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '14 degrees.' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_image', image: 'x' }] },
  { note: 1 },
];

describe.concurrent('sessions', () => {
  it('list prints sessions with item counts, newest activity first', async () => {
    const cwd = temporaryDirectory();
    await open(cwd, 'older').addItems([{ a: 1 }]);
    await open(cwd, 'newer: é').addItems([{ a: 1 }, { a: 2 }]);
    const { stdout, exitCode } = await keepsake(['sessions'], { cwd });
    expect(exitCode).toBe(0);
    const time = '2\\d{3}-\\d\\d-\\d\\dT[\\d:.]+Z';
    expect(stdout).toMatch(new RegExp(`^newer: é\\t2\\t${time}\\t${time}\\nolder\\t1\\t${time}\\t${time}\\n$`));
    expect((await keepsake(['sessions', 'list'], { cwd })).stdout).toBe(stdout);
    const page = await keepsake(['sessions', '-l', '1', '--json'], { cwd });
    const { items: found, cursor } = JSON.parse(page.stdout);
    expect(found).toMatchObject([{ sessionId: 'newer: é', itemCount: 2 }]);
    const rest = await keepsake(['sessions', '--json', '--cursor', cursor], { cwd });
    expect(JSON.parse(rest.stdout)).toMatchObject({ items: [{ sessionId: 'older' }] });
    expect(JSON.parse((await keepsake(['sessions', '--all', '--json'], { cwd })).stdout).items).toHaveLength(2);
  });

  it('show prints items of any shape', async () => {
    const cwd = temporaryDirectory();
    await open(cwd, 'chat').addItems(items);
    expect((await keepsake(['sessions', 'show', 'chat'], { cwd })).stdout).toBe(
      [
        'user\tHow warm is it in Ghent?',
        'call\tweather({"city":"Ghent"})',
        'result\t14 degrees',
        'assistant\t14 degrees.',
        'user\t[{"type":"input_image","image":"x"}]',
        'item\t{"note":1}',
        '',
      ].join('\n'),
    );
    expect((await keepsake(['sessions', 'show', 'chat', '-l', '1'], { cwd })).stdout).toBe('item\t{"note":1}\n');
    expect(JSON.parse((await keepsake(['sessions', 'show', 'chat', '--json'], { cwd })).stdout)).toEqual({ items });
  });

  it('show finds a cleared session, but no unknown one', async () => {
    const cwd = temporaryDirectory();
    await open(cwd, 'chat').addItems(items);
    await open(cwd, 'chat').clearSession();
    expect(await keepsake(['sessions', 'show', 'chat'], { cwd })).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await keepsake(['sessions', 'show', 'chap'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: 'There is no session chap in .keepsake.\n',
    });
  });

  it('delete removes sessions', async () => {
    const cwd = temporaryDirectory();
    await open(cwd, 'chat').addItems(items);
    expect(await keepsake(['sessions', 'delete', 'chat', 'chap'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: 'chat\n',
      stderr: 'There is no session chap.\n',
    });
    expect(await keepsake(['sessions'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: 'There are no sessions in .keepsake.\n',
    });
  });

  it('show and delete take the beginning of an id', async () => {
    const cwd = temporaryDirectory();
    for (const id of ['chat-1', 'chat-of-monday', 'chat']) await open(cwd, id).addItems([{ id }]);
    expect((await keepsake(['sessions', 'show', 'chat'], { cwd })).stdout).toBe('item\t{"id":"chat"}\n');
    expect((await keepsake(['sessions', 'show', 'chat-'], { cwd })).stderr).toContain('Several ids begin with chat-: ');
    await keepsake(['sessions', 'delete', 'chat-1', 'chat'], { cwd });
    expect((await keepsake(['sessions', 'show', 'chat'], { cwd })).stdout).toBe('item\t{"id":"chat-of-monday"}\n');
    expect((await keepsake(['sessions', 'delete', 'chat-of-mon'], { cwd })).stdout).toBe('chat-of-monday\n');
  });

  it('deletes only by a beginning with 6 characters of its own', async () => {
    const cwd = temporaryDirectory();
    const ids = ['content-1234567', 'chat-1', 'conversation', '0199a7c2-1'];
    for (const id of ids) await open(cwd, id).addItems([{ id }]);
    for (const beginning of ['content-', 'content', 'cont', 'content-12345', 'chat-', 'convers', '0199a']) {
      expect(await keepsake(['sessions', 'delete', beginning], { cwd })).toMatchObject({ exitCode: 3, stdout: '' });
    }
    for (const [beginning, id] of [
      ['content-123456', ids[0]],
      ['0199a7', ids[3]],
    ] as const) {
      expect((await keepsake(['sessions', 'delete', beginning], { cwd })).stdout).toBe(`${id}\n`);
    }
  });

  it('reading creates no directory', async () => {
    const cwd = temporaryDirectory();
    for (const args of [[], ['show', 'x'], ['delete', 'x']]) await keepsake(['sessions', ...args], { cwd });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('refuses an unknown subcommand', async () => {
    expect(await keepsake(['sessions', 'shwo', 'chat'], { cwd: temporaryDirectory() })).toMatchObject({
      exitCode: 2,
      stderr: "keepsake: Unknown command 'shwo' of keepsake sessions. Use list, show or delete.\n",
    });
  });
});
