import { MemoryError } from '@keepsake/core';
import { type Check, expect, expectFields } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { inserted, numberedFile, replaced } from './memory/file-edits.ts';
import { folderListing, type ListedFile } from './memory/folder-listing.ts';
import { type CommandInput, checkCommand, type MemoryCommand } from './memory/memory-command.ts';
import { ROOT, workspacePath } from './memory/memory-path.ts';
import { MemoryTree } from './memory/memory-tree.ts';
import type { MemoryWorkspace } from './memory/memory-workspace.ts';
import { moveFiles } from './memory/move-files.ts';
import { unlessChanged } from './unless-changed.ts';

const MAX_ATTEMPTS = 20;

export interface KeepsakeMemoryToolOptions {
  /**
   * Where the files are: `localDirectory` or `recordWorkspace` of `@keepsake/workspace`. `/memories` is its folder
   * `memories`. Don't use the workspace of a `WorkspaceMemory`, which keeps its own files there.
   */
  readonly workspace: MemoryWorkspace;
}

const OPTIONS = {
  workspace: ['read', 'write', 'list', 'delete'],
} as const satisfies Record<keyof KeepsakeMemoryToolOptions, Check>;

/**
 * Claude's memory tool (`memory_20250818`) over the files of a workspace. Pass it to `betaMemoryTool` of the Anthropic SDK,
 * or its `execute` to `anthropic.tools.memory_20250818` of the AI SDK.
 *
 * Commands say what the reference tool of the Anthropic SDK says, and throw its errors. Unlike there, no change of another
 * process is ever overwritten: an edit is applied to the newest text, and `create` and `rename` never replace a file.
 *
 * @example
 * ```ts
 * const memory = betaMemoryTool(new KeepsakeMemoryTool({ workspace: localDirectory('.agent') }));
 * const answer = await client.beta.messages.toolRunner({ model, max_tokens, messages, tools: [memory] });
 * ```
 */
export class KeepsakeMemoryTool {
  readonly #workspace: MemoryWorkspace;

  constructor(options: KeepsakeMemoryToolOptions) {
    expectFields(options, '', OPTIONS);
    expect(options.workspace !== undefined, '`workspace` is missing. Pass a workspace, such as localDirectory(…).');
    this.#workspace = options.workspace;
  }

  /** Runs a command. It needs no `this`, so you can pass it on. */
  readonly execute = async (command: MemoryCommand): Promise<string> => {
    expect(isObject(command), 'The input of the memory tool must be an object, such as { command, path }.');
    switch (command.command) {
      case 'view':
        return this.view(command);
      case 'create':
        return this.create(command);
      case 'str_replace':
        return this.str_replace(command);
      case 'insert':
        return this.insert(command);
      case 'delete':
        return this.delete(command);
      case 'rename':
        return this.rename(command);
      default:
        throw new Error(`${shown((command as { command: unknown }).command)} not implemented`);
    }
  };

  /** Shows a file with line numbers, or lists a folder. */
  async view(command: CommandInput<'view'>): Promise<string> {
    checkCommand('view', command);
    const path = workspacePath(command.path);
    const tree = await MemoryTree.read(this.#workspace);
    if (tree.isFile(path))
      return numberedFile(command.path, await this.#textOf(path, command.path), command.view_range);
    if (!tree.isFolder(path)) throw missing(command.path);
    const files = await Promise.all(tree.below(path).map((file) => this.#listed(file, path)));
    return folderListing(command.path, files.flat());
  }

  /** Creates a file. */
  async create(command: CommandInput<'create'>): Promise<string> {
    checkCommand('create', command);
    const path = workspacePath(command.path);
    const tree = await MemoryTree.read(this.#workspace);
    refuseBelowFile(tree, path, command.path);
    const created = tree.isFolder(path)
      ? undefined
      : await unlessChanged(this.#workspace.write(path, command.file_text, { ifVersion: null }));
    if (created === undefined) throw new Error(`File ${command.path} already exists`);
    return `File created successfully at: ${command.path}`;
  }

  /** Replaces a text that a file has exactly once, or deletes it if there is no `new_str`. */
  async str_replace(command: CommandInput<'str_replace'>): Promise<string> {
    checkCommand('str_replace', command);
    const { path, old_str, new_str } = command;
    return this.#edit(path, (text) => replaced(path, text, old_str, new_str ?? ''));
  }

  /** Inserts a line into a file. */
  async insert(command: CommandInput<'insert'>): Promise<string> {
    checkCommand('insert', command);
    const { path, insert_line, insert_text } = command;
    return this.#edit(path, (text) => [inserted(text, insert_line, insert_text), `The file ${path} has been edited.`]);
  }

  /** Deletes a file, or a folder with all files below it. */
  async delete(command: CommandInput<'delete'>): Promise<string> {
    checkCommand('delete', command);
    const path = workspacePath(command.path);
    if (path === ROOT) throw new Error(`Cannot delete the /${ROOT} directory itself`);
    const tree = await MemoryTree.read(this.#workspace);
    const files = tree.isFile(path) ? [path] : tree.below(path);
    let deleted = 0;
    for (const file of files) if (await this.#workspace.delete(file)) deleted++;
    if (deleted === 0) throw new Error(`The path ${command.path} does not exist`);
    return `Successfully deleted ${command.path}`;
  }

  /** Renames a file or a folder, or moves it. */
  async rename(command: CommandInput<'rename'>): Promise<string> {
    checkCommand('rename', command);
    const { old_path, new_path } = command;
    const [from, to] = [workspacePath(old_path), workspacePath(new_path)];
    if (from === ROOT) throw new Error(`Cannot rename the /${ROOT} directory itself`);
    const tree = await MemoryTree.read(this.#workspace);
    if (tree.exists(to)) throw new Error(`The destination ${new_path} already exists`);
    refuseBelowFile(tree, to, new_path);
    if (!tree.exists(from)) throw new Error(`The path ${old_path} does not exist`);
    if (to.startsWith(`${from}/`)) throw new Error(`The destination ${new_path} is inside of ${old_path}`);
    const files = tree.isFile(from) ? [from] : tree.below(from);
    const moves = files.map((file) => ({ from: file, to: to + file.slice(from.length) }));
    const problem = await moveFiles(this.#workspace, moves);
    if (problem === 'exists') throw new Error(`The destination ${new_path} already exists`);
    if (problem === 'gone') throw new Error(`The path ${old_path} does not exist`);
    return `Successfully renamed ${old_path} to ${new_path}`;
  }

  /** Changes a file, again from its newest text if another process has changed it in between. */
  async #edit(shownPath: string, change: (text: string) => [text: string, says: string]): Promise<string> {
    const path = workspacePath(shownPath);
    const tree = await MemoryTree.read(this.#workspace);
    if (!tree.exists(path)) throw missing(shownPath);
    if (!tree.isFile(path)) throw new Error(`The path ${shownPath} is not a file.`);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const file = await this.#workspace.read(path);
      if (file === undefined) throw vanished(shownPath);
      const [text, says] = change(file.text);
      const version = await unlessChanged(this.#workspace.write(path, text, { ifVersion: file.version }));
      if (version !== undefined) return says;
    }
    throw new MemoryError('CONFLICT', `This file keeps changing; gave up after ${MAX_ATTEMPTS} attempts. Try again.`);
  }

  async #textOf(path: string, shownPath: string): Promise<string> {
    const file = await this.#workspace.read(path);
    if (file === undefined) throw vanished(shownPath);
    return file.text;
  }

  /** A file of a folder, unless it was removed in the meantime. */
  async #listed(file: string, folder: string): Promise<ListedFile[]> {
    const storedFile = await this.#workspace.read(file);
    if (storedFile === undefined) return [];
    return [{ path: file.slice(folder.length + 1), bytes: new TextEncoder().encode(storedFile.text).length }];
  }
}

function refuseBelowFile(tree: MemoryTree, path: string, shownPath: string): void {
  const file = tree.fileAbove(path);
  if (file !== undefined) throw new Error(`The path ${shownPath} is not possible, because /${file} is a file.`);
}

/** A value that should be a text. */
function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function missing(path: string): Error {
  return new Error(`The path ${path} does not exist. Please provide a valid path.`);
}

function vanished(path: string): Error {
  return new Error(`The file ${path} no longer exists (may have been deleted or renamed concurrently).`);
}
