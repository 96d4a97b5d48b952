import { MemoryError } from '@keepsake/core';
import { withoutUndefined } from '@keepsake/internal';
import { memoryBlocks, type Workspace, WorkspaceMemory } from '@keepsake/workspace';
import { readQuery, requiredText, whole } from '../http/fields.ts';
import { notFound } from '../http/refusal.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type TextPiece, type WorkspaceFileView, type WorkspaceView } from '../protocol.ts';
import { shownText, textPiece } from '../shown-text.ts';

/** What the next run reads, the files that it comes from, and the conversations that these come from. */
export async function getWorkspace(panel: PanelParts, query: URLSearchParams): Promise<WorkspaceView> {
  readQuery(query, {});
  const workspace = await openWorkspace(panel);
  const failures: MemoryError[] = [];
  const read = { onError: (error: MemoryError) => void failures.push(error) };
  const memory = new WorkspaceMemory({ workspace, generate: null, read });
  try {
    const { instructions } = await memory.read();
    if (failures[0] !== undefined) throw failures[0];
    const rollouts = await memory.conversations();
    return {
      instructions: shownText(instructions, LIMITS.longText),
      files: (await filesOf(workspace, memory)).map((path) => ({ path })),
      rollouts: rollouts.map(({ rolloutId, status, updatedAt, summary, error }) => ({
        rolloutId,
        status,
        ...(updatedAt !== '' && { updatedAt }),
        ...withoutUndefined({
          summaryPath: summary && `${memory.layout.memoriesDir}/${summary}`,
          error: error === undefined ? undefined : shownText(error),
        }),
      })),
    };
  } finally {
    await memory.close();
  }
}

const FILE = { path: requiredText(4_096), offset: whole(0, 2 ** 31, 0) } as const;

/** A file of the memory. Other files of the workspace, which may be a project, are not served. */
export async function getWorkspaceFile(panel: PanelParts, query: URLSearchParams): Promise<WorkspaceFileView> {
  const { path, offset } = readQuery(query, FILE);
  const workspace = await openWorkspace(panel);
  const memory = new WorkspaceMemory({ workspace, generate: null });
  try {
    const file = (await filesOf(workspace, memory)).includes(path) ? await workspace.read(path) : undefined;
    if (file === undefined) throw notFound('There is no such file in the memory of this workspace.');
    const piece = textPiece(file.text, offset);
    if (!path.endsWith('.md')) return { path, ...piece };
    const blocks = untilNextBlock(piece);
    return { path, ...blocks, blocks: memoryBlocks(blocks.text) };
  } finally {
    await memory.close();
  }
}

/** A piece of a Markdown file that ends where a block begins, so that no bullet is parted from its rollouts. */
function untilNextBlock(piece: TextPiece): TextPiece {
  if (piece.nextOffset === undefined) return piece;
  const end = [...piece.text.matchAll(/\n(?=\S)/g)].at(-1)?.index;
  if (end === undefined) return piece;
  return { ...piece, text: piece.text.slice(0, end + 1), nextOffset: piece.offset + end + 1 };
}

async function openWorkspace({ config }: PanelParts): Promise<Workspace> {
  const workspace = await config.workspace();
  if (workspace !== undefined) return workspace;
  throw new MemoryError('UNSUPPORTED', 'The configuration has no `workspace`. Add it to see its memory.');
}

async function filesOf(workspace: Workspace, { layout }: WorkspaceMemory): Promise<string[]> {
  return [...(await workspace.list(layout.memoriesDir)), ...(await workspace.list(layout.sessionsDir))];
}
