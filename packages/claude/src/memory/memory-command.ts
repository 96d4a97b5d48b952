import { expect } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';

interface Commands {
  readonly view: { readonly path: string; readonly view_range?: readonly number[] | null | undefined };
  readonly create: { readonly path: string; readonly file_text: string };
  readonly str_replace: {
    readonly path: string;
    readonly old_str: string;
    readonly new_str?: string | null | undefined;
  };
  readonly insert: { readonly path: string; readonly insert_line: number; readonly insert_text: string };
  readonly delete: { readonly path: string };
  readonly rename: { readonly old_path: string; readonly new_path: string };
}

/** The input of a command of the memory tool. */
export type CommandInput<Name extends keyof Commands> = Commands[Name];

/** A call of the memory tool, as Claude makes it. */
export type MemoryCommand = { [Name in keyof Commands]: { readonly command: Name } & Commands[Name] }[keyof Commands];

const FIELDS: { readonly [Name in keyof Commands]: Readonly<Record<string, 'string' | 'number' | 'string?'>> } = {
  view: { path: 'string' },
  create: { path: 'string', file_text: 'string' },
  str_replace: { path: 'string', old_str: 'string', new_str: 'string?' },
  insert: { path: 'string', insert_line: 'number', insert_text: 'string' },
  delete: { path: 'string' },
  rename: { old_path: 'string', new_path: 'string' },
};

/** Throws unless a command has its fields: models make mistakes, and no SDK but one checks their calls. */
export function checkCommand(name: keyof Commands, input: unknown): void {
  expect(isObject(input), `The input of \`${name}\` must be an object.`);
  for (const [field, type] of Object.entries(FIELDS[name])) {
    if (type === 'string?' && isMissing(input[field])) continue;
    const expected = type.replace('?', '');
    expect(typeof input[field] === expected, `\`${field}\` of \`${name}\` must be a ${expected}.`);
  }
  if (name !== 'view' || isMissing(input.view_range)) return;
  const isRange = Array.isArray(input.view_range) && input.view_range.every(Number.isInteger);
  expect(isRange, '`view_range` of `view` must be two line numbers, such as [1, 20], or [10, -1] for the rest.');
}

/** `null` counts as missing, because some models fill in all fields. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
