import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { localDirectory, recordWorkspace } from '@keepsake/workspace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeepsakeMemoryTool, type MemoryCommand, type MemoryWorkspace } from '../src/index.ts';

/*
 * The tool beside the reference tool of the Anthropic SDK, which keeps files in a directory. After each command, what it
 * says is compared, and what it throws; after each sequence, the files. These are the differences:
 *
 * | reference tool                                           | here                              | reason |
 * | -------------------------------------------------------- | --------------------------------- | ------ |
 * | An empty folder stays, even after a `create` that failed | A folder exists while it has files | Stores have no folders |
 * | The size of a folder is that of its entry in the file system | The size of all files below it | The same in each backend |
 * | Errors of the file system, with paths of the host: ENOTDIR, EEXIST, EISDIR, EINVAL | Errors that say what is wrong | Nothing about the host for Claude |
 * | `old_str` is searched for in each line: text with a line break is never found, and a line with it twice counts once | It is searched for in the text | What the documentation of the tool says |
 * | `/memoriesX` is `/memories/X` | It is refused | It is not below `/memories` |
 * | The last of two concurrent changes wins | Both are made, or one is refused | Nothing is lost |
 *
 * The generated sequences have none of the last three, which have tests of their own.
 */

const directory = useDirectory();
const HOST_ERROR = /^(ENOTDIR|EEXIST|EISDIR|EINVAL)\b/;

const PATHS = [
  '/memories/a.md',
  '/memories/b.md',
  '/memories/dir/a.md',
  '/memories/dir/b',
  '/memories/dir/sub/deep/c.md',
  '/memories/dir',
  '/memories/dir/',
  '/memories/dir/sub',
  '/memories/dir-2/a.md',
  '/memories/.hidden',
  '/memories/node_modules/x.md',
  '/memories/é 😀.md',
  '/memories/dir//../a.md',
  '/memories/./b.md',
  '/memories/a.md/below',
  '/memories',
  '/memories/',
  '/memories/../outside.md',
  '/memories/dir/../../x',
  '/etc/passwd',
  'memories/a.md',
  '',
];
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PATHS.slice(0, 3)) },
  { weight: 2, arbitrary: fc.constantFrom(...PATHS) },
);
const line = fc.constantFrom('', 'tea', 'green tea', 'Alice', 'é 😀', '$& $1', '\t tab', 'x'.repeat(1_100));
const text = fc.array(line, { minLength: 0, maxLength: 5 }).map((lines) => lines.join('\n'));
const command: fc.Arbitrary<MemoryCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constant('view' as const),
      path,
      view_range: fc.option(fc.tuple(fc.integer({ min: -1, max: 7 }), fc.integer({ min: -1, max: 7 })), {
        nil: undefined,
        freq: 3,
      }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ command: fc.constant('create' as const), path, file_text: text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constant('str_replace' as const),
      path,
      old_str: fc.constantFrom('tea', 'Alice', 'green tea', '😀', 'absent', '', '$&'),
      new_str: text,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      command: fc.constant('insert' as const),
      path,
      insert_line: fc.integer({ min: -1, max: 6 }),
      insert_text: fc.oneof(
        text,
        line.map((one) => `${one}\n`),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ command: fc.constant('delete' as const), path }) },
  { weight: 2, arbitrary: fc.record({ command: fc.constant('rename' as const), old_path: path, new_path: path }) },
);

type Tool = Pick<KeepsakeMemoryTool, MemoryCommand['command']> | BetaLocalFilesystemMemoryTool;

async function outcome(tool: Tool, one: MemoryCommand): Promise<string> {
  try {
    return comparable(await (tool as Record<string, (input: unknown) => Promise<string>>)[one.command]?.(one));
  } catch (error) {
    return `Error: ${(error as Error).message}`;
  }
}

/** Whether a line has `old_str` twice, which only the reference tool takes for once (see the table above). */
async function isTwiceInALine(workspace: MemoryWorkspace, one: MemoryCommand): Promise<boolean> {
  if (one.command !== 'str_replace' || one.old_str === '') return false;
  const file = await workspace.read(one.path.replace(/^\//, '')).catch(() => undefined);
  const lines = file?.text.split('\n') ?? [];
  return lines.some((line) => line.indexOf(one.old_str) !== line.lastIndexOf(one.old_str));
}

/** Without the sizes of folders. */
function comparable(says = ''): string {
  const [header = '', ...lines] = says.split('\n');
  if (!header.startsWith("Here're the files")) return says;
  return [header, ...lines.map((one, n) => (n === 0 || one.endsWith('/') ? one.replace(/^\S+/, 'folder') : one))].join(
    '\n',
  );
}

/** Removes empty folders below `/memories`, which only the reference tool has. */
function prune(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const below = join(folder, entry.name);
    prune(below);
    if (readdirSync(below).length === 0) rmdirSync(below);
  }
}

function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((file) => [`memories${file.slice(folder.length)}`, readFileSync(file, 'utf8')]));
}

const workspaces: [string, number, (n: number) => MemoryWorkspace][] = [
  ['a record workspace', rounds(1_000, 100), () => recordWorkspace(new InMemoryStore({ name: 'files' }))],
  // Both tools wait for the disk here.
  ['a local directory', rounds(200, 30), (n) => localDirectory(join(directory.path, `ours-${n}`))],
];

describe.each(workspaces)('the memory tool on %s', (_, numRuns, makeWorkspace) => {
  it('says and does what the reference tool does in generated sequences', { timeout: 300_000 }, async () => {
    let round = 0;
    const said = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 6, maxLength: 14 }), async (commands) => {
        const folder = join(directory.path, `theirs-${++round}`);
        mkdirSync(join(folder, 'memories'), { recursive: true });
        const theirs = new BetaLocalFilesystemMemoryTool(folder);
        const workspace = makeWorkspace(round);
        const ours = new KeepsakeMemoryTool({ workspace });
        for (const one of commands) {
          if (await isTwiceInALine(workspace, one)) continue;
          const [expected, actual] = [await outcome(theirs, one), await outcome(ours, one)];
          prune(join(folder, 'memories'));
          const isHostError = HOST_ERROR.test(expected.slice('Error: '.length));
          if (isHostError) expect(actual, JSON.stringify(one)).toMatch(/^Error: (?!E[A-Z]+)/);
          else expect(actual, JSON.stringify(one)).toBe(expected);
          const kind = isHostError
            ? 'host error'
            : `${one.command} ${expected.startsWith('Error') ? 'fails' : 'works'}`;
          said.set(kind, (said.get(kind) ?? 0) + 1);
        }
        const kept: Record<string, string> = {};
        for (const file of await workspace.list('')) kept[file] = (await workspace.read(file))?.text ?? '';
        expect(kept).toEqual(filesIn(join(folder, 'memories')));
        rmSync(folder, { recursive: true });
      }),
      { numRuns },
    );
    // The sequences have each command, with and without success.
    const kinds = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'];
    for (const kind of kinds.flatMap((one) => [`${one} works`, `${one} fails`])) {
      expect(said.get(kind), kind).toBeGreaterThan(0);
    }
  });
});
