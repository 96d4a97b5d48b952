import { closeSync, fstatSync, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Namespace } from '@keepsake/core';
import { ADD, fileModeIn, listFolder, openFile, READ, REPLACE, readBytes, refuseLink, writeAll } from '../disk/disk.ts';
import { groupOf, indexFolder, parentOf } from '../disk/file-names.ts';
import { cutLines, encodeLine, type LogPiece } from '../log/log-line.ts';
import { makeIndexFolder, removeSaved } from './changes.ts';

/*
 * The index of the folders of sessions or namespaces: a file for each group, with a line as in a log for each folder. The line
 * is a JSON list of the folder's name, the id of its session or its namespace, and what a process knew of it. So those of a user
 * or of nobody are found without reading all folders, and a list need not read each folder again.
 *
 * Whoever creates a folder adds its line, and whoever removes one removes its line, because it tells the id. A seal is a line
 * with the time at which the group had been touched last when the lines before it named all its folders. Without a seal of the
 * right time, readers compare the lines with the group, and write the file again. So the files are a cache that is never believed
 * when it may be wrong, whoever moves folders, and anybody may delete them at any time. They are not flushed, and processes can
 * undo what another is writing: the checksum in a seal shows whether all bytes before it are as they were. Whoever writes lines
 * looks afterwards whether their folders are there. Killed in between, it can leave the line of a folder that another process has
 * just removed, until the next search or removal in the group.
 */

/** A line: a folder's name, whose it is, and what was known of it, if anything. */
export type SavedLine<Known extends readonly unknown[] = readonly unknown[]> = readonly [
  name: string,
  of: string | Namespace,
  ...known: Known | [],
];

/** Which lines to find, by texts in their JSON that are between these characters: `"`, `:`, `,` and brackets. */
export interface SoughtLines {
  /** With this text. */
  readonly text?: string | undefined;
  /** Without any of these. */
  readonly without?: readonly string[];
}

const SEAL = '{"touched":';
const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

function savedPath(parent: string, group: string): string {
  return join(indexFolder(parent), group);
}

function headerFor(parent: string): string {
  return encodeLine(JSON.stringify({ keepsake: `index of ${basename(parent)}`, version: 1 }));
}

/** The bytes of a group's file, or none if it is missing, damaged at its beginning or of another version. */
export function readSaved(parent: string, group: string): Buffer {
  refuseLink(indexFolder(parent));
  let file: number | undefined;
  try {
    file = openFile(savedPath(parent, group), READ);
    const bytes = readBytes(file, 0, fstatSync(file).size);
    const header = Buffer.from(headerFor(parent));
    return header.equals(bytes.subarray(0, header.length)) ? bytes : NOTHING;
  } catch {
    return NOTHING;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** When the group had been touched last as these bytes named all its folders; `undefined` if they may not name all. */
export function sealOf(bytes: Buffer): number | undefined {
  const seal = pieceAt(bytes, bytes.lastIndexOf(SEAL));
  if (seal?.json === undefined) return undefined;
  const { touched, sum } = JSON.parse(seal.json);
  return sum === crc32(bytes.subarray(0, seal.offset)) ? touched : undefined;
}

/** The lines in these bytes that are intact. */
export function linesIn<Line extends SavedLine>(bytes: Buffer): Line[] {
  return cutLines(bytes, 0).pieces.flatMap((piece) => linesOf<Line>(piece));
}

/**
 * The lines that are sought among those in these bytes that are intact. Reads no more of the others than to find a text. With
 * `without`, a line whose own line feed or the one before it is damaged may be missing.
 */
export function linesWhere<Line extends SavedLine>(bytes: Buffer, { text, without = [] }: SoughtLines): Line[] {
  const lines: Line[] = [];
  const wanted = text === undefined ? undefined : Buffer.from(text);
  const unwanted = without.map((one) => Buffer.from(one));
  for (let from = 0; from < bytes.length; ) {
    const at = wanted === undefined ? from : placeOf(wanted, bytes, from);
    if (at === -1) break;
    const [start, end] = boundsAt(bytes, at);
    const isUnwanted = unwanted.some((one) => placeOf(one, bytes.subarray(start, end), 0) !== -1);
    const piece = isUnwanted ? undefined : pieceAt(bytes, at);
    if (piece !== undefined) lines.push(...linesOf<Line>(piece));
    from = piece?.end ?? end;
  }
  return lines;
}

/** The line in a piece, if it is intact and no header and no seal. */
function linesOf<Line extends SavedLine>({ json }: LogPiece): Line[] {
  return json?.startsWith('[') ? [JSON.parse(json)] : [];
}

function placeOf(text: Buffer, bytes: Buffer, from: number): number {
  let at = bytes.indexOf(text, from);
  while (at !== -1 && !(isDelimiter(bytes[at - 1]) && isDelimiter(bytes[at + text.length]))) {
    at = bytes.indexOf(text, at + 1);
  }
  return at;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte !== undefined && '":,[]'.includes(String.fromCharCode(byte));
}

/** The line at a place. If its line feed is damaged, the next one begins behind it all the same. */
function pieceAt(bytes: Buffer, at: number): LogPiece | undefined {
  if (at === -1) return undefined;
  const [start, end] = boundsAt(bytes, at);
  return cutLines(bytes.subarray(start, end), start).pieces.find((piece) => piece.end > at);
}

/** From behind the line feed before a place to behind the next one. */
function boundsAt(bytes: Buffer, at: number): [start: number, end: number] {
  return [bytes.lastIndexOf(LINE_FEED, at) + 1, bytes.indexOf(LINE_FEED, at) + 1 || bytes.length];
}

/** Adds the line of a folder that was created. */
export function addSaved(folder: string, of: SavedLine[1]): void {
  const [parent, group] = [parentOf(folder), basename(dirname(folder))];
  let file: number | undefined;
  try {
    refuseLink(indexFolder(parent));
    makeIndexFolder(parent);
    file = openFile(savedPath(parent, group), ADD, fileModeIn(parent));
    const line = textOf([[basename(folder), of]]);
    // If two processes begin the file at once, readers pass over the second header.
    writeAll(file, Buffer.from(fstatSync(file).size === 0 ? `${headerFor(parent)}${line}` : line));
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) tidySaved(parent, group);
  } catch {
    // Without the line, readers compare the group.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Replaces the lines of a group, with a seal if they name all folders that it had when it was touched. */
export function replaceSaved(parent: string, group: string, lines: readonly SavedLine[], touched?: number): void {
  const names = new Set(listFolder(join(parent, group)));
  const linesThere = lines.filter(([name]) => names.has(name));
  write(parent, group, Buffer.from(textOf(linesThere)), touched);
}

/** Removes the line of a folder that was removed. */
export function forgetSaved(parent: string, name: string): void {
  tidySaved(parent, groupOf(name));
}

/** The text of lines. */
export function textOf(lines: readonly SavedLine[]): string {
  return lines.map((line) => encodeLine(JSON.stringify(line))).join('');
}

/** Removes the lines of folders that are gone, and what is damaged, because it could be a part of such a line. */
function tidySaved(parent: string, group: string): void {
  const bytes = readSaved(parent, group);
  const names = new Set(listFolder(join(parent, group)));
  const kept = cutLines(bytes, 0).pieces.filter(
    (piece) => piece.json !== undefined && linesOf(piece).every(([name]) => names.has(name)),
  );
  const keptBytes = kept.reduce((sum, { offset, end }) => sum + end - offset, 0);
  if (bytes.length > 0 && keptBytes === bytes.length) return;
  const lines = kept.filter((piece) => linesOf(piece).length > 0);
  write(parent, group, Buffer.concat(lines.map(({ offset, end }) => bytes.subarray(offset, end))));
}

/** Replaces what the file of a group says of its folders. Removes the file if that is nothing, or can't be written. */
function write(parent: string, group: string, lines: Buffer, touched?: number): void {
  refuseLink(indexFolder(parent));
  const path = savedPath(parent, group);
  const text = Buffer.concat([Buffer.from(headerFor(parent)), lines]);
  const seal = touched === undefined ? '' : encodeLine(`${SEAL}${touched},"sum":${crc32(text)}}`);
  if (lines.length === 0 || !tryWrite(parent, path, Buffer.concat([text, Buffer.from(seal)]))) {
    removeSaved(path);
    return;
  }
  // What others removed before this, they could not remove from these lines. What they remove from now on, they do.
  const names = new Set(listFolder(join(parent, group)));
  if (linesIn(lines).some(([name]) => !names.has(name))) tidySaved(parent, group);
}

function tryWrite(parent: string, path: string, bytes: Buffer): boolean {
  let file: number | undefined;
  try {
    makeIndexFolder(parent);
    // Not to another file that then gets its name: after a kill, that would stay.
    file = openFile(path, REPLACE, fileModeIn(parent));
    writeAll(file, bytes);
    return true;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
