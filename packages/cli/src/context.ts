import { OpenedConfig } from '@keepsake/config';
import { type Namespace, parseNamespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { usageFailure } from './failure.ts';
import type { Backend, BackupResult } from './open/backend.ts';
import { type BackendSettings, openBackend } from './open/open-backend.ts';
import { countOf, Output } from './output/output.ts';
import { yellow } from './output/style.ts';
import { pathOf, type Surroundings } from './surroundings.ts';

/** The options of every command. */
export interface Settings extends BackendSettings {
  /** In the format of `formatNamespace`. */
  readonly namespace?: string;
  readonly json?: boolean;
}

/** What a command needs: the backend, the namespace, the output and the surroundings. */
export class Context {
  /** The namespace in the options, below that of the configured store. */
  readonly namespace: Namespace;
  readonly output: Output;
  readonly backend: Backend;
  readonly surroundings: Surroundings;
  readonly #config: OpenedConfig;

  constructor(backend: Backend, namespace: Namespace, json: boolean, surroundings: Surroundings) {
    this.backend = backend;
    this.namespace = namespace;
    this.surroundings = surroundings;
    this.output = new Output(json, surroundings);
    this.#config = new OpenedConfig(backend.configuration, { path: backend.path, namespace });
  }

  /** The directory or file, as the options name it. */
  get path(): string {
    return this.backend.path;
  }

  /** The parts of the backend, in the namespace of the options. Creates no files before the first write. */
  get config(): OpenedConfig {
    this.backend.expectExists?.();
    return this.#config;
  }

  /** Opens the store of the namespace in the options. */
  openStore(): Promise<RecordStore> {
    return this.config.memory();
  }

  openSessions(): Promise<SessionStore> {
    return this.config.sessions();
  }

  /** Closes all that was opened, which makes the next start faster. */
  async close(): Promise<void> {
    await this.#config.close();
  }

  /** Copies everything to a new directory or file, while others use it. */
  async backup(target: string): Promise<BackupResult> {
    if (this.backend.backup !== undefined) return this.backend.backup(pathOf(this.surroundings, target));
    throw usageFailure('backup copies directories and SQLite files. Back up any other backend with its own tools.');
  }

  /** Warns if damaged lines were skipped while reading. */
  warnOfDamage(): void {
    const damagedLogs = this.backend.damagedLogs?.() ?? 0;
    if (damagedLogs === 0) return;
    const logs = countOf(this.output, damagedLogs, 'log');
    const message = `Skipped damaged lines in ${logs}. Run keepsake doctor.`;
    const { stderr } = this.surroundings;
    if (this.output.json) stderr.write(`${JSON.stringify({ warning: { code: 'CORRUPT', message } })}\n`);
    else this.output.note(`${yellow('keepsake:', stderr)} ${message}`);
  }
}

/**
 * @param mayCreate - Whether a directory or an SQLite file may be missing.
 * @throws Failure if the options are invalid.
 */
export async function openContext(
  settings: Settings,
  mayCreate: boolean,
  surroundings: Surroundings,
): Promise<Context> {
  const { namespace = '', json = false } = settings;
  const segments = readNamespace(namespace);
  return new Context(await openBackend(settings, mayCreate, surroundings), segments, json, surroundings);
}

/** @throws Failure if `--namespace` is invalid. */
export function readNamespace(text: string): Namespace {
  try {
    return parseNamespace(text);
  } catch (error) {
    throw usageFailure(
      `--namespace ${JSON.stringify(text)} is invalid: ${(error as Error).message}\nWrite it as keepsake namespaces prints it, such as u:alice.`,
      error,
    );
  }
}
