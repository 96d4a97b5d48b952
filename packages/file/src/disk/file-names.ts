import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Namespace } from '@keepsake/core';
import { digest } from '@keepsake/internal/node';

/*
 * All names of files and directories, and their escaping.
 *
 *   <directory>/sessions/<group>/<name of the id>/          one session
 *   <directory>/memory/<group>/<name of the namespace>/     the records of one namespace
 *     log-<generation>-<number>-<random>.jsonl      the log; the highest is the current one
 *     lock-<generation>-free-<random>               the lock, see file-lock.ts
 *     index-<number>-<variant>                      a cache that makes that log quicker to open, see log-index.ts
 *     damaged-<random>                              the remains of damaged lines after a compaction
 *     .tmp-<random>                                 a log that is being written
 *   <directory>/sessions/.tmp/, memory/.tmp/        folders that are being created or removed, see scratch.ts
 *   <directory>/sessions/.index/changes             which sessions have changed, see listing/changes.ts
 *   <directory>/sessions/.index/<group>, memory/.index/<group>   what is in a group, see listing/saved-group.ts
 */

/** The folder of a session. */
export function sessionFolder(directory: string, sessionId: string): string {
  return folderIn(sessionsFolder(directory), nameOf(sessionId));
}

/** The folder that holds all sessions. */
export function sessionsFolder(directory: string): string {
  return join(directory, 'sessions');
}

/** The folder of a namespace. */
export function namespaceFolder(directory: string, namespace: Namespace): string {
  return folderIn(memoryFolder(directory), nameOf(namespace));
}

/** The folder that holds all namespaces. */
export function memoryFolder(directory: string): string {
  return join(directory, 'memory');
}

/**
 * The name of a folder, safe on every file system and different for every id or namespace: the readable part of the id, then
 * 160 bits of the SHA-256 of the whole id. So case, Unicode normalization, length, dots, slashes and reserved names (`CON`) cause
 * no collisions, and no id can leave its folder. The id itself is in the first line of the log.
 */
export function nameOf(of: string | Namespace): string {
  const parts = typeof of === 'string' ? [of] : of;
  const readable = parts
    .join('.')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '');
  const hash = digest(JSON.stringify(parts), HASH_LENGTH);
  return readable === '' ? hash : `${readable}-${hash}`;
}

const HASH_LENGTH = 40;
const GROUPS = 64;

/** The folder with this name in `parent`, which holds all sessions or all namespaces. */
export function folderIn(parent: string, name: string): string {
  return join(parent, groupOf(name), name);
}

/** The folder that holds all sessions or all namespaces, one of which is in `folder`. */
export function parentOf(folder: string): string {
  return dirname(dirname(folder));
}

/**
 * The folder for one of 64 groups, by the hash in the name of what it holds. So only a 64th of all names must be read again where
 * something came or went.
 */
export function groupOf(folderName: string): string {
  const group = Number.parseInt(hashIn(folderName).slice(0, 2), 16) % GROUPS;
  return group.toString(16).padStart(2, '0');
}

/** Whether a name is that of a group. */
export function isGroupName(name: string): boolean {
  return /^[0-3][0-9a-f]$/.test(name);
}

/** The position of a log among the successive logs of a folder. */
export interface LogName {
  readonly name: string;
  /** The generation of the lock when it was named. */
  readonly generation: number;
  /** Every compaction adds one. */
  readonly number: number;
}

/** A name that no log ever had, so that a name identifies the file that was read. */
export function newLogName(generation: number, number: number): string {
  return `log-${generation}-${number}-${randomBytes(6).toString('hex')}.jsonl`;
}

/** Whether a name is that of a session's or namespace's folder. People and systems put other files beside them. */
export function isFolderName(name: string): boolean {
  return /^(?:[a-z0-9-]{1,40}-)?[0-9a-f]{40}$/.test(name);
}

/** Where what is in `parent` is created and removed. */
export function scratchFolder(parent: string): string {
  return join(parent, '.tmp');
}

/** The folder for what makes listing what is in `parent` quick. */
export function indexFolder(parent: string): string {
  return join(parent, '.index');
}

/** The part of a folder's name that identifies it and does not tell the id. */
export function hashIn(folderName: string): string {
  return folderName.slice(-HASH_LENGTH);
}

export const MAKING = 'making-';
export const DISCARDED = 'discarded-';

export function scratchName(prefix: typeof MAKING | typeof DISCARDED): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}

/** A name for a log that is being written; whoever holds the lock may delete what is left of it. */
export function temporaryName(): string {
  return `${TEMPORARY}${randomBytes(12).toString('hex')}`;
}

/** Whether a name comes from {@link temporaryName}. */
export function isTemporary(name: string): boolean {
  return name.startsWith(TEMPORARY);
}

const TEMPORARY = '.tmp-';

/** The name of an index of the log with this number. */
export function indexName(log: number, variant: string): string {
  return `index-${log}-${variant}`;
}

/** The number of an index's log, or `undefined` if the name is not that of an index. */
export function indexedLog(name: string): number | undefined {
  const match = /^index-(\d+)-[0-9a-f]+$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** A name for the remains of damaged lines. */
export function damagedName(): string {
  return `${DAMAGED}${randomBytes(6).toString('hex')}`;
}

/** Whether a name comes from {@link damagedName}. */
export function isDamagedName(name: string): boolean {
  return name.startsWith(DAMAGED);
}

const DAMAGED = 'damaged-';

/** The logs among the names in a folder, newest first. */
export function findLogs(names: readonly string[]): LogName[] {
  return names
    .flatMap((name) => {
      const match = /^log-(\d+)-(\d+)-[0-9a-f]+\.jsonl$/.exec(name);
      return match ? [{ name, generation: Number(match[1]), number: Number(match[2]) }] : [];
    })
    .sort((a, b) => b.generation - a.generation || b.number - a.number);
}
