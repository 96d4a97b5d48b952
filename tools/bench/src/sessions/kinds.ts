import { exampleFileSession } from './example-file-session.ts';
import { keepsakeFile, keepsakeFlushedFile, keepsakeInMemory } from './keepsake.ts';
import { langchainFile, langchainInMemory } from './langchain.ts';
import { agentsMemorySession } from './openai-agents.ts';
import { rawArray } from './raw-array.ts';
import { rawAppendFile, rawAppendFileSync, rawFlushedFile } from './raw-file.ts';
import { type Field, kindsOf, type SessionKind } from './session-kind.ts';

/** The kinds of sessions in memory. */
export const inMemory: Field = {
  raw: rawArray,
  keepsake: keepsakeInMemory,
  peers: [agentsMemorySession, langchainInMemory],
};

/** The kinds of sessions in files, without flushing to disk. */
export const inFiles: Field = {
  raw: rawAppendFile,
  keepsake: keepsakeFile,
  peers: [exampleFileSession, langchainFile],
};

/** The kinds of sessions in files, flushed to disk. No peer flushes. */
export const flushed: Field = { raw: rawFlushedFile, keepsake: keepsakeFlushedFile, peers: [] };

export { exampleFileSession, rawAppendFileSync };

/** The kind with a name, which a process receives. */
export function kindNamed(name: string): SessionKind {
  const kind = [...[inMemory, inFiles, flushed].flatMap(kindsOf), rawAppendFileSync].find((one) => one.name === name);
  if (kind === undefined) throw new Error(`Unknown kind: ${name}.`);
  return kind;
}
