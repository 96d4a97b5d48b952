import { isObject } from '@keepsake/internal';
import { digest } from '@keepsake/internal/node';
import type { Change } from '../files/control-file.ts';
import type { Paths } from '../files/layout.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Forgotten } from '../generate/forgotten.ts';
import { readObject } from '../generate/read-object.ts';

/*
 * A transcript is appended to, and a file that is appended to can't be written. If words in it are forgotten, the masked
 * transcript is written beside it and the appended file is removed; later segments are appended to a new one. The first line
 * of the masked file says which appended text it replaces, in case that is still there.
 */

/** The transcript of a conversation. Positions in it stay valid when words are forgotten. */
export interface Transcript {
  readonly text: string;
  /** Removes the files as they were read: one that has grown since stays. */
  readonly removal: readonly Change[];
  /** The content of the appended file. */
  readonly appended: string;
}

interface Replaced {
  readonly length: number;
  readonly digest: string;
}

/** The transcript, or `undefined` if there is none. */
export async function readTranscript(workspace: Workspace, paths: Paths, id: string): Promise<Transcript | undefined> {
  // In this order: the masked file is in place before the appended one is removed.
  const appended = await workspace.read(paths.session(id));
  const masked = await workspace.read(paths.maskedSession(id));
  if (appended === undefined && masked === undefined) return undefined;
  const removal = [
    ...(appended === undefined ? [] : [{ path: paths.session(id), base: appended.version, text: null }]),
    ...(masked === undefined ? [] : [{ path: paths.maskedSession(id), base: masked.version, text: null }]),
  ];
  const fresh = appended?.text ?? '';
  if (masked === undefined) return { text: fresh, removal, appended: fresh };
  const end = masked.text.indexOf('\n') + 1;
  const { replaces } = readObject<{ readonly replaces: Replaced }>(
    paths.maskedSession(id),
    masked.text.slice(0, end),
    (head) => isObject(head.replaces),
  );
  const isReplaced = fresh.length >= replaces.length && markOf(fresh.slice(0, replaces.length)) === replaces.digest;
  const since = isReplaced ? fresh.slice(replaces.length) : fresh;
  return { text: masked.text.slice(end) + since, removal, appended: fresh };
}

/** The changes that mask forgotten words in a transcript; none if there are none. */
export async function maskTranscript(
  workspace: Workspace,
  paths: Paths,
  id: string,
  forgotten: Forgotten,
): Promise<Change[]> {
  const transcript = await readTranscript(workspace, paths, id);
  if (transcript === undefined) return [];
  const { text, appended } = transcript;
  const mask = (lines: string) =>
    lines
      .split('\n')
      .map((line) => forgotten.maskLine(line))
      .join('\n');
  const masked = mask(text);
  // The appended file can still contain words that the masked one has replaced.
  if (masked === text && mask(appended) === appended) return [];
  const replaces: Replaced = { length: appended.length, digest: markOf(appended) };
  const path = paths.maskedSession(id);
  const base = transcript.removal.find((each) => each.path === path)?.base ?? null;
  const removed = transcript.removal.filter((each) => each.path !== path);
  // The next line goes to another file, so a torn one ends here.
  const end = masked === '' || masked.endsWith('\n') ? '' : '\n';
  return [{ path, base, text: `${JSON.stringify({ replaces })}\n${masked}${end}` }, ...removed];
}

function markOf(text: string): string {
  return digest(text.toWellFormed(), 32);
}

/** The ids of all conversations with a transcript, by their paths. */
export function idsOfSessions(paths: Paths, files: readonly string[]): string[] {
  return [...new Set(files.flatMap((path) => paths.idOfSession(path) ?? []))];
}

/** The conversations with a transcript, and what tells whether it has changed, if the workspace can tell. */
export async function marksOfSessions(workspace: Workspace, paths: Paths): Promise<Map<string, string | undefined>> {
  const { sessionsDir } = paths.layout;
  const marks = await workspace.marks?.(sessionsDir);
  const ids = idsOfSessions(paths, marks ? [...marks.keys()] : await workspace.list(sessionsDir));
  const markOf = (id: string) =>
    marks &&
    [paths.session(id), paths.maskedSession(id)]
      .map((path) => marks.get(path) ?? '')
      .join(' ')
      .trim();
  return new Map(ids.map((id) => [id, markOf(id)]));
}
