import { MemoryError } from '@keepsake/core';
import { expectApart, type Layout, sameLayout } from '../files/layout.ts';
import type { Workspace } from '../files/workspace.ts';
import type { CheckedGenerate } from '../options.ts';

interface OpenMemory {
  readonly layout: Layout;
  readonly generate: CheckedGenerate | undefined;
}

const byId = new Map<string, Set<OpenMemory>>();
const byObject = new WeakMap<Workspace, Set<OpenMemory>>();

/**
 * Registers an open memory of this process.
 *
 * @returns a function that unregisters it.
 * @throws MemoryError `INVALID_ARGUMENT` if an open memory shares some but not all of its files, or generates the same files
 *   with another configuration.
 */
export function noteOpen(workspace: Workspace, own: OpenMemory): () => void {
  const open = openIn(workspace);
  for (const other of open) {
    expectApart(own.layout, other.layout);
    const generate = own.generate !== undefined && other.generate !== undefined;
    if (!generate || !sameLayout(own.layout, other.layout) || sameGenerate(own.generate, other.generate)) continue;
    throw new MemoryError(
      'INVALID_ARGUMENT',
      'This memory is open with another generate configuration. Use the same configuration, `generate: null`, or another layout.',
    );
  }
  open.add(own);
  return () => {
    open.delete(own);
    if (open.size === 0 && workspace.id !== undefined) byId.delete(workspace.id);
  };
}

function openIn(workspace: Workspace): Set<OpenMemory> {
  const { id } = workspace;
  const memories = id === undefined ? byObject.get(workspace) : byId.get(id);
  const open = memories ?? new Set<OpenMemory>();
  if (id === undefined) byObject.set(workspace, open);
  else byId.set(id, open);
  return open;
}

function sameGenerate(a: CheckedGenerate, b: CheckedGenerate): boolean {
  return (Object.keys(a) as (keyof CheckedGenerate)[]).every((key) => a[key] === b[key]);
}
