import type { TranscriptEntry } from '../../src/index.ts';

/** A message of a transcript, as Claude Code writes it. */
export function says(n: number, parent?: number): TranscriptEntry {
  const type = n % 2 === 0 ? 'user' : 'assistant';
  return {
    type,
    uuid: uuidOf(n),
    parentUuid: parent === undefined ? null : uuidOf(parent),
    timestamp: new Date(Date.UTC(2026, 10, 23, 8, 0, n)).toISOString(),
    sessionId: '5f2f3c0e-0000-4000-8000-000000000001',
    cwd: '/home/alice/app',
    isSidechain: false,
    message: { role: type, content: [{ type: 'text', text: `Message ${n}` }] },
  };
}

/** A title, which has no uuid. */
export function titled(customTitle: string): TranscriptEntry {
  return { type: 'custom-title', customTitle };
}

function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}
