import { exampleFileSession } from './example-file-session.ts';
import { keepsakeFile, keepsakeFlushedFile, keepsakeInMemory } from './keepsake.ts';
import { langchainFile, langchainInMemory } from './langchain.ts';
import { agentsMemorySession } from './openai-agents.ts';
import { rawArray } from './raw-array.ts';
import { rawAppendFile, rawAppendFileSync, rawFlushedFile } from './raw-file.ts';
import { type Field, kindsOf, type SessionKind } from './session-kind.ts';

/** Who keeps sessions in memory. */
export const inMemory: Field = {
  raw: rawArray,
  keepsake: keepsakeInMemory,
  peers: [agentsMemorySession, langchainInMemory],
};

/** Who keeps them in files, with the operating system. */
export const inFiles: Field = {
  raw: rawAppendFile,
  keepsake: keepsakeFile,
  peers: [exampleFileSession, langchainFile],
};

/** Who keeps them in files, on the disk. No peer flushes. */
export const flushed: Field = { raw: rawFlushedFile, keepsake: keepsakeFlushedFile, peers: [] };

export { exampleFileSession, rawAppendFileSync };

/** The kind of a name: what a process is told to use. */
export function kindNamed(name: string): SessionKind {
  const kind = [...[inMemory, inFiles, flushed].flatMap(kindsOf), rawAppendFileSync].find((one) => one.name === name);
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  return kind;
}
