import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNamespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import type { FormatName } from '../src/import/format-names.ts';
import { MemoryImporter } from '../src/import/memory-importer.ts';
import { readInput } from '../src/import/read-input.ts';
import { SessionImporter } from '../src/import/session-importer.ts';

export interface ImportOptions {
  readonly format?: FormatName;
  readonly redact?: boolean;
  readonly namespace?: string;
}

/** Where a test imports to, without the command. */
export class Imports {
  readonly store: RecordStore;
  readonly sessions: SessionStore;

  constructor(directory: string) {
    this.store = new FileStore({ directory, name: 'memory' });
    this.sessions = new FileSessionStore({ directory });
  }

  /** Imports as memories. Returns what was counted, without what is zero. */
  async memories(input: string, { format, redact = false, namespace = '' }: ImportOptions = {}) {
    const segments = parseNamespace(namespace);
    const importer = new MemoryImporter(this.store.within(segments), { redact, namespace: segments });
    for await (const found of readInput(chunks(input), { as: 'memories', format })) {
      const broken = await importer.add(found);
      if (broken !== undefined) importer.tally.broken.push(broken.problem);
    }
    await importer.flush();
    return counted(importer.tally);
  }

  /** Imports as sessions. Returns what was counted, without what is zero. */
  async asSessions(input: string, { format, redact = false }: ImportOptions = {}) {
    const importer = new SessionImporter(this.sessions, { redact });
    for await (const found of readInput(chunks(input), { as: 'sessions', format })) {
      const broken = await importer.add(found);
      if (broken !== undefined) importer.tally.broken.push(broken.problem);
    }
    return counted(importer.tally);
  }

  async records(namespace = '') {
    return (await this.store.within(parseNamespace(namespace)).list({ order: 'oldest' })).items;
  }

  /** The items of a session, by default of the only one. */
  async items(id?: string) {
    const [only] = (await this.sessions.list()).items;
    return this.sessions.open(id ?? only?.sessionId).getItems();
  }
}

export const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');

async function* chunks(input: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(input);
}

function counted(tally: object): Record<string, unknown> {
  const isSomething = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== 0);
  return Object.fromEntries(Object.entries(tally).filter(([, value]) => isSomething(value)));
}
