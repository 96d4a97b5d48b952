import { closeSync, fstatSync, lstatSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Namespace } from '@keepsake/core';
import { ADD, fileModeIn, listFolder, openFile, READ, REPLACE, readBytes, refuseLink, writeAll } from '../disk/disk.ts';
import { groupOf, indexFolder, parentOf } from '../disk/file-names.ts';
import { cutLines, encodeLine, type LogPiece } from '../log/log-line.ts';
import { makeIndexFolder } from './changes.ts';

/*
 * The index of the folders of sessions or namespaces: a file for each group, with a line as in a log for each folder. The line
 * is a JSON list of the folder's name, the id of its session or its namespace, and what a process knew of it. So those of a user
 * are found without reading all folders, and a list need not read each folder again.
 *
 * Whoever creates a folder adds its line, and whoever removes one removes its line, because it tells the id. A seal is a line
 * with the time at which the group had been touched last when the lines before it named all its folders. Without a seal of the
 * right time, readers compare the lines with the group, and write the file again. So the files are a cache that is never believed
 * when it may be wrong, whoever moves folders, and anybody may delete them at any time. They are not flushed, and processes can
 * undo what another is writing: the checksum in a seal shows whether all bytes before it are as they were.
 */

/** A line: a folder's name, whose it is, and what was known of it, if anything. */
export type SavedLine<Known extends readonly unknown[] = readonly unknown[]> = readonly [
  name: string,
  of: string | Namespace,
  ...known: Known | [],
];

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
    return bytes.indexOf(headerFor(parent)) === 0 ? bytes : NOTHING;
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

/** The intact lines in these bytes with a text in their JSON, which is between these characters: `"`, `:`, `,` and brackets. */
export function linesWith<Line extends SavedLine>(bytes: Buffer, text: string): Line[] {
  const lines: Line[] = [];
  const sought = Buffer.from(text);
  for (let at = bytes.indexOf(sought); at !== -1; at = bytes.indexOf(sought, at + 1)) {
    if (!isDelimiter(bytes[at - 1]) || !isDelimiter(bytes[at + sought.length])) continue;
    const piece = pieceAt(bytes, at);
    if (piece === undefined) break;
    lines.push(...linesOf<Line>(piece));
    // The next search begins behind it.
    at = piece.end - 1;
  }
  return lines;
}

/** The line in a piece, if it is intact and no header and no seal. */
function linesOf<Line extends SavedLine>({ json }: LogPiece): Line[] {
  return json?.startsWith('[') ? [JSON.parse(json)] : [];
}

function isDelimiter(byte: number | undefined): boolean {
  return byte !== undefined && '":,[]'.includes(String.fromCharCode(byte));
}

/** The line at a place. If its line feed is damaged, the next one begins behind it all the same. */
function pieceAt(bytes: Buffer, at: number): LogPiece | undefined {
  if (at === -1) return undefined;
  const start = bytes.lastIndexOf(LINE_FEED, at) + 1;
  const end = bytes.indexOf(LINE_FEED, at) + 1 || bytes.length;
  return cutLines(bytes.subarray(start, end), start).pieces.find((piece) => piece.end > at);
}

/** Adds the line of a folder that was created. */
export function addSaved(folder: string, of: SavedLine[1]): void {
  const [parent, group] = [parentOf(folder), basename(dirname(folder))];
  refuseLink(indexFolder(parent));
  let file: number | undefined;
  try {
    makeIndexFolder(parent);
    file = openFile(savedPath(parent, group), ADD, fileModeIn(parent));
    const line = encodeLine(JSON.stringify([basename(folder), of]));
    // If two processes begin the file at once, readers pass over the second header.
    writeAll(file, Buffer.from(fstatSync(file).size === 0 ? `${headerFor(parent)}${line}` : line));
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) tidySaved(parent, group);
  } catch {
    // Without the line, readers compare the group.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Replaces the lines of a group, with a seal if they name all folders that it had when it was touched. Without lines, removes the
 * file, and likewise if it can't be written.
 */
export function replaceSaved(parent: string, group: string, lines: readonly SavedLine[], touched?: number): void {
  refuseLink(indexFolder(parent));
  const path = savedPath(parent, group);
  try {
    if (lines.length > 0) writeSaved(parent, path, lines, touched);
    else rmSync(path, { force: true, recursive: true });
  } catch {
    rmSync(path, { force: true, recursive: true });
  }
  // What others removed meanwhile, they removed from the file before this. What they remove from now on, they remove after.
  const names = new Set(listFolder(join(parent, group)));
  if (lines.some(([name]) => !names.has(name))) tidySaved(parent, group);
}

function writeSaved(parent: string, path: string, lines: readonly SavedLine[], touched: number | undefined): void {
  const text = `${headerFor(parent)}${textOf(lines)}`;
  const seal = touched === undefined ? '' : encodeLine(`${SEAL}${touched},"sum":${crc32(text)}}`);
  makeIndexFolder(parent);
  // Not to another file that gets its name: after a kill, that would stay.
  const file = openFile(path, REPLACE, fileModeIn(parent));
  try {
    writeAll(file, Buffer.from(`${text}${seal}`));
  } finally {
    closeSync(file);
  }
}

/** The text of lines. */
export function textOf(lines: readonly SavedLine[]): string {
  return lines.map((line) => encodeLine(JSON.stringify(line))).join('');
}

/** Removes the line of a folder that was removed. */
export function forgetSaved(parent: string, name: string): void {
  tidySaved(parent, groupOf(name));
}

/** Removes the lines of folders that are gone, and what is damaged, because it could be a part of such a line. */
function tidySaved(parent: string, group: string): void {
  const bytes = readSaved(parent, group);
  const { pieces, rest } = cutLines(bytes, 0);
  const lines = linesIn(bytes);
  const names = new Set(listFolder(join(parent, group)));
  const linesThere = lines.filter(([name]) => names.has(name));
  const isDamaged = bytes.length === 0 || rest > 0 || pieces.some(({ json }) => json === undefined);
  if (isDamaged || linesThere.length < lines.length) replaceSaved(parent, group, linesThere);
}
