import { anthropic } from '@ai-sdk/anthropic';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { localDirectory, recordWorkspace } from '@keepsake/workspace';
import { describe, expect, it } from 'vitest';
import { KeepsakeMemoryTool, type MemoryWorkspace } from '../src/index.ts';

const directory = useDirectory();
const workspaces: [string, () => MemoryWorkspace][] = [
  ['a record workspace', () => recordWorkspace(new InMemoryStore({ name: 'files' }))],
  ['a local directory', () => localDirectory(directory.path)],
];
const path = '/memories/notes.md';

describe.each(workspaces)('the memory tool on %s', (_, makeWorkspace) => {
  const open = async (file_text: string) => {
    const workspace = makeWorkspace();
    const tool = new KeepsakeMemoryTool({ workspace });
    await tool.create({ path, file_text });
    return { workspace, tool, text: async () => (await workspace.read('memories/notes.md'))?.text };
  };

  it('str_replace finds text with line breaks', async () => {
    const { tool, text } = await open('# Alice\nLikes tea.\nLives in Rome.\n');
    expect(await tool.str_replace({ path, old_str: 'tea.\nLives in Rome.', new_str: 'tea.\nLives in Oslo.' })).toBe(
      'The memory file has been edited. Here is the snippet showing the change (with line numbers):\n' +
        '     1\t# Alice\n     2\tLikes tea.\n     3\tLives in Oslo.\n     4\t',
    );
    expect(await text()).toBe('# Alice\nLikes tea.\nLives in Oslo.\n');
  });

  it('edits of a file with CRLF take and show plain line breaks, and keep CRLF', async () => {
    const { tool, text } = await open('# Alice\r\nLikes tea.\r\nLives in Rome.\r\n');
    const said = await tool.str_replace({ path, old_str: 'tea.\nLives in Rome.', new_str: 'tea.\nLives in Oslo.' });
    expect(said).toContain('     2\tLikes tea.\n     3\tLives in Oslo.\n     4\t');
    expect(await tool.view({ path })).not.toContain('\r');
    await tool.insert({ path, insert_line: 1, insert_text: 'Vegan.\nAllergic to nuts.\n' });
    await tool.insert({ path, insert_line: 4, insert_text: 'Has a dog.' });
    await tool.str_replace({ path, old_str: 'Vegan.', new_str: 'Vegan\nsince May.' });
    const lines = [
      '# Alice',
      'Vegan',
      'since May.',
      'Allergic to nuts.',
      'Likes tea.',
      'Has a dog.',
      'Lives in Oslo.',
      '',
    ];
    expect(await text()).toBe(lines.join('\r\n'));
    await expect(tool.str_replace({ path, old_str: '.\nHas', new_str: '' })).resolves.toContain('edited');
  });

  it('str_replace takes CRLF for a file with plain line breaks, and finds the breaks of a mixed file as they are', async () => {
    const { tool, text } = await open('1\n2\n3\n');
    await tool.str_replace({ path, old_str: '1\r\n2', new_str: 'one\r\ntwo' });
    expect(await text()).toBe('one\ntwo\n3\n');
    await tool.delete({ path });
    await tool.create({ path, file_text: '1\n2\r\n3\n' });
    await tool.str_replace({ path, old_str: '1\n2', new_str: '12' });
    expect(await text()).toBe('12\r\n3\n');
  });

  it('str_replace without new_str deletes the text', async () => {
    const { tool, text } = await open('Likes green tea.\n');
    expect(await tool.execute({ command: 'str_replace', path, old_str: 'green ' })).toContain('     1\tLikes tea.');
    await tool.execute({ command: 'str_replace', path, old_str: 'Likes ', new_str: null } as never);
    expect(await text()).toBe('tea.\n');
    expect(await tool.execute({ command: 'view', path, view_range: null } as never)).toContain('     1\ttea.');
  });

  it('str_replace shows two lines around the change', async () => {
    const { tool } = await open('1\n2\n3\n4\n5\n6\n7');
    const said = await tool.str_replace({ path, old_str: '4', new_str: 'four' });
    expect(said.split('\n').slice(1)).toEqual(['     2\t2', '     3\t3', '     4\tfour', '     5\t5', '     6\t6']);
  });

  it('view shows a range of lines, and files of up to 999,999 lines', async () => {
    const { tool } = await open('\n'.repeat(999_998));
    const header = `Here's the content of ${path} with line numbers:`;
    expect(await tool.view({ path, view_range: [0, 2] })).toBe(`${header}\n     1\t\n     2\t`);
    expect(await tool.view({ path, view_range: [999_999, -1] })).toBe(`${header}\n999999\t`);
    await tool.insert({ path, insert_line: 0, insert_text: 'one more' });
    await expect(tool.view({ path, view_range: [1, 2] })).rejects.toThrow('too many lines (1000000)');
  });

  it('str_replace refuses text that a line has twice, and names the lines once', async () => {
    const { tool, text } = await open('tea, tea\ntea');
    await expect(tool.str_replace({ path, old_str: 'tea', new_str: 'milk' })).rejects.toThrow(
      'No replacement was performed. Multiple occurrences of old_str `tea` in lines: 1, 2. Please ensure it is unique',
    );
    await expect(tool.str_replace({ path, old_str: 'tea, tea\nt', new_str: '' })).resolves.toContain('edited');
    expect(await text()).toBe('ea');
  });

  it('folders list all below them, two levels deep, with the size of their files', async () => {
    const { tool } = await open('x'.repeat(1_536));
    await tool.create({ path: '/memories/people/alice/tea.md', file_text: 'é' });
    await tool.create({ path: '/memories/people/.hidden', file_text: '' });
    await tool.create({ path: '/memories/people-2', file_text: '' });
    await tool.create({ path: '/memories/node_modules/x', file_text: '' });
    const header =
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
    expect((await tool.view({ path: '/memories' })).split('\n')).toEqual([
      header,
      '1.5K\t/memories',
      '1.5K\t/memories/notes.md',
      '2B\t/memories/people/',
      '2B\t/memories/people/alice/',
      '0B\t/memories/people-2',
    ]);
  });

  it('paths outside of /memories, or that look like it, are refused', async () => {
    const { tool, workspace } = await open('');
    for (const bad of [
      '/memoriesX',
      '/memories-2/a',
      '/Memories/a',
      'memories/a',
      '/memories/../a',
      '/memories/a/../../b',
    ]) {
      await expect(tool.create({ path: bad, file_text: '' }), bad).rejects.toThrow(/must start with|would escape/);
      await expect(tool.rename({ old_path: path, new_path: bad }), bad).rejects.toThrow(/must start with|would escape/);
    }
    for (const bad of ['/memories/a:b', '/memories/a\\b', '/memories/a\0', `/memories/${'x'.repeat(300)}`]) {
      await expect(tool.create({ path: bad, file_text: '' }), bad).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(tool.rename({ old_path: path, new_path: bad }), bad).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    }
    expect(await workspace.list('')).toEqual(['memories/notes.md']);
  });

  it('a command with a missing field is refused with what it needs', async () => {
    const { tool, workspace } = await open('');
    const bad: [object, RegExp][] = [
      [{ command: 'view' }, /`path` of `view` must be a string/],
      [{ command: 'view', path: '/memories', view_range: ['1', 2] }, /`view_range` of `view`/],
      [{ command: 'create', path: '/memories/a' }, /`file_text` of `create`/],
      [{ command: 'insert', path, insert_line: '1', insert_text: 'a' }, /`insert_line` of `insert` must be a number/],
      [{ command: 'str_replace', path, old_str: 'a', new_str: 7 }, /`new_str` of `str_replace` must be a string/],
      [{ command: 'rename', old_path: path }, /`new_path` of `rename`/],
      [{ command: 'append', path }, /append not implemented/],
    ];
    for (const [command, message] of bad) await expect(tool.execute(command as never)).rejects.toThrow(message);
    expect(await workspace.list('')).toEqual(['memories/notes.md']);
  });

  it('serves betaMemoryTool of the Anthropic SDK and memory_20250818 of the AI SDK', async () => {
    const { tool, text } = await open('one\n');
    const ofAnthropic = betaMemoryTool(tool);
    await ofAnthropic.run({ command: 'insert', path, insert_line: 1, insert_text: 'two' });
    const ofAiSdk = anthropic.tools.memory_20250818({ execute: tool.execute });
    const context = { toolCallId: 'call-1', messages: [], context: {} };
    const said = await ofAiSdk.execute?.(
      { command: 'str_replace', path, old_str: 'one', new_str: 'zero' },
      context as never,
    );
    expect(said).toContain('The memory file has been edited.');
    expect(await text()).toBe('zero\ntwo\n');
  });

  it('a folder is renamed with all files below it, and a target that is there stops it before any file moves', async () => {
    const { tool, workspace } = await open('');
    for (const name of ['a', 'b', 'sub/c']) await tool.create({ path: `/memories/old/${name}`, file_text: name });
    expect(await tool.rename({ old_path: '/memories/old', new_path: '/memories/new' })).toContain('Successfully');
    expect(await workspace.list('')).toEqual([
      'memories/new/a',
      'memories/new/b',
      'memories/new/sub/c',
      'memories/notes.md',
    ]);
    await expect(tool.rename({ old_path: '/memories/new', new_path: '/memories/new/x' })).rejects.toThrow('inside of');
    await expect(tool.rename({ old_path: '/memories/new', new_path: '/memories/notes.md/x' })).rejects.toThrow(
      'is a file',
    );
  });

  it('a rename that meets another change moves the newest text, or takes nothing', async () => {
    const { tool, workspace } = await open('before');
    // Another process edits the file after it was copied.
    const edited = between(workspace, 'write', async () => void (await workspace.write('memories/notes.md', 'after')));
    await new KeepsakeMemoryTool({ workspace: edited }).rename({ old_path: path, new_path: '/memories/moved.md' });
    expect(await tool.view({ path: '/memories/moved.md' })).toContain('after');
    expect(await workspace.list('')).toEqual(['memories/moved.md']);

    // Another process moves it away.
    const moved = between(workspace, 'write', () =>
      tool.rename({ old_path: '/memories/moved.md', new_path: '/memories/theirs.md' }),
    );
    await expect(
      new KeepsakeMemoryTool({ workspace: moved }).rename({
        old_path: '/memories/moved.md',
        new_path: '/memories/ours.md',
      }),
    ).rejects.toThrow('The path /memories/moved.md does not exist');
    expect(await workspace.list('')).toEqual(['memories/theirs.md']);

    // Another process creates the target of the second file.
    for (const name of ['1', '2']) await tool.create({ path: `/memories/dir/${name}`, file_text: name });
    const taken = between(workspace, 'write', () => tool.create({ path: '/memories/to/2', file_text: 'theirs' }));
    await expect(
      new KeepsakeMemoryTool({ workspace: taken }).rename({ old_path: '/memories/dir', new_path: '/memories/to' }),
    ).rejects.toThrow('The destination /memories/to already exists');
    expect(await workspace.list('')).toEqual([
      'memories/dir/1',
      'memories/dir/2',
      'memories/theirs.md',
      'memories/to/2',
    ]);

    // It also edits the copy of the first one.
    await tool.delete({ path: '/memories/to/2' });
    const editedToo = between(workspace, 'write', async () => {
      await workspace.write('memories/to/1', 'edited');
      await tool.create({ path: '/memories/to/2', file_text: 'theirs' });
    });
    await expect(
      new KeepsakeMemoryTool({ workspace: editedToo }).rename({ old_path: '/memories/dir', new_path: '/memories/to' }),
    ).rejects.toThrow('The destination /memories/to already exists');
    expect((await workspace.read('memories/to/1'))?.text).toBe('edited');
  });

  it('an edit is made again from the newest text', async () => {
    const { workspace, text } = await open('one\n');
    const other = new KeepsakeMemoryTool({ workspace });
    const raced = between(workspace, 'read', () => other.insert({ path, insert_line: 1, insert_text: 'theirs' }));
    await new KeepsakeMemoryTool({ workspace: raced }).insert({ path, insert_line: 0, insert_text: 'ours' });
    expect(await text()).toBe('ours\none\ntheirs\n');
  });
});

/** A workspace in which something happens once, right after the first call of a method. */
function between(workspace: MemoryWorkspace, method: 'read' | 'write', event: () => Promise<unknown>): MemoryWorkspace {
  let happened = false;
  const after = async <T>(result: T): Promise<T> => {
    if (!happened) {
      happened = true;
      await event();
    }
    return result;
  };
  return {
    read: async (...args) => (method === 'read' ? after(await workspace.read(...args)) : workspace.read(...args)),
    write: async (...args) => (method === 'write' ? after(await workspace.write(...args)) : workspace.write(...args)),
    list: (folder) => workspace.list(folder),
    delete: (...args) => workspace.delete(...args),
  };
}

it('input that is no command is refused with words that help', async () => {
  const { execute } = new KeepsakeMemoryTool({ workspace: recordWorkspace(new InMemoryStore({ name: 'files' })) });
  for (const input of [null, [], 'view']) {
    await expect(execute(input as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  await expect(execute({ command: { toString: 1 } } as never)).rejects.toThrow('{"toString":1} not implemented');
});
