import { isObject } from '@keepsake/internal';
import { redactText } from '@keepsake/privacy';
import { type Layout, NAMES } from '../files/layout.ts';
import { checkPath, isBelow } from '../files/workspace-path.ts';

/*
 * The model of phase 2 works on a copy of a memory's folder in this process. Its changes reach files only after all of them
 * were checked, and its paths lead only into this copy.
 */

const MAX_READ = 40_000;
const MAX_HITS = 50;
const MAX_LINE = 400;
const MAX_FILE = 400_000;

/** A copy of a folder. Paths are relative to that folder. */
export class Staging {
  readonly files: Map<string, string>;
  readonly #layout: Layout;

  constructor(files: ReadonlyMap<string, string>, layout: Layout) {
    this.files = new Map(files);
    this.#layout = layout;
  }

  /** Runs one action of the model and returns the result, or why it failed, so that the model can correct it. */
  act(action: unknown): string {
    if (!isObject(action)) return 'Refused: an action is an object.';
    const { tool, path, text, find, offset } = action;
    const name = typeof path === 'string' ? path : '';
    switch (tool) {
      case 'list':
        return this.#list(name);
      case 'read':
        return this.#read(name, typeof offset === 'number' ? offset : 0);
      case 'search':
        return this.#search(typeof text === 'string' ? text : '');
      case 'write':
        return this.#write(name, text);
      case 'edit':
        return this.#edit(name, find, text);
      case 'delete':
        return this.#delete(name);
      default:
        return 'Refused: there are the tools list, read, search, write, edit and delete.';
    }
  }

  /** Whether the model may change a file of this path. */
  isWritable(path: string): boolean {
    const { summaryFile, memoryFile } = this.#layout;
    if (path === summaryFile || path === memoryFile) return true;
    return isBelow(path, NAMES.skills) && path.endsWith('.md') && path.split('/').length >= 3;
  }

  #list(folder: string): string {
    const below = folder.replace(/\/+$/, '');
    const paths = [...this.files.keys()].filter((path) => isBelow(path, below)).sort();
    return paths.length === 0 ? 'There are no files.' : paths.join('\n');
  }

  #read(path: string, offset: number): string {
    const text = this.#find(path);
    if (text === undefined) return noFile(path);
    const part = text.slice(offset, offset + MAX_READ);
    const rest = text.length - offset - part.length;
    return rest > 0 ? `${part}\n(${rest} characters more: read on from offset ${offset + part.length})` : part;
  }

  #search(text: string): string {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return 'Refused: "text" must be what to look for.';
    const hits: string[] = [];
    for (const [path, content] of this.files) {
      for (const [index, line] of content.split('\n').entries()) {
        if (hits.length === MAX_HITS) return `${hits.join('\n')}\n(more; look for something rarer)`;
        if (line.toLowerCase().includes(wanted)) hits.push(`${path}:${index + 1}: ${line.slice(0, MAX_LINE)}`);
      }
    }
    return hits.length === 0 ? 'Nothing holds that.' : hits.join('\n');
  }

  #write(path: string, text: unknown): string {
    const refusal = this.#refusal(path, text);
    if (refusal !== undefined) return refusal;
    this.files.set(path, redactText(text as string));
    return 'Written.';
  }

  #edit(path: string, find: unknown, text: unknown): string {
    const refusal = this.#refusal(path, text);
    if (refusal !== undefined) return refusal;
    const before = this.#find(path);
    if (before === undefined) return noFile(path);
    if (typeof find !== 'string' || find === '') return 'Refused: "find" must be what to replace.';
    const at = before.indexOf(find);
    if (at < 0 || before.includes(find, at + 1))
      return `Refused: "find" stands there ${at < 0 ? 'nowhere' : 'more than once'}.`;
    const after = before.slice(0, at) + text + before.slice(at + find.length);
    if (after.length > MAX_FILE) return TOO_LONG;
    this.files.set(path, redactText(after));
    return 'Edited.';
  }

  #delete(path: string): string {
    const refusal = this.#refusal(path, '');
    if (refusal !== undefined) return refusal;
    return this.files.delete(path) ? 'Deleted.' : noFile(path);
  }

  #find(path: string): string | undefined {
    return isPath(path) ? this.files.get(path) : undefined;
  }

  #refusal(path: string, text: unknown): string | undefined {
    if (!isPath(path) || !this.isWritable(path)) {
      const { memoryFile, summaryFile } = this.#layout;
      return `Refused: you may change ${memoryFile}, ${summaryFile} and skills/<name>/SKILL.md, and nothing else.`;
    }
    if (typeof text !== 'string') return 'Refused: "text" must be a text.';
    return text.length > MAX_FILE ? TOO_LONG : undefined;
  }
}

const TOO_LONG = `Refused: a file is to have at most ${MAX_FILE} characters.`;

function noFile(path: string): string {
  return `There is no file ${JSON.stringify(path.slice(0, 200))}. See list.`;
}

function isPath(path: string): boolean {
  try {
    checkPath(path);
    return true;
  } catch {
    return false;
  }
}
