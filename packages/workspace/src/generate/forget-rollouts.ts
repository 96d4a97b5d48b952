import { type Layout, NAMES } from '../files/layout.ts';
import { isBelow } from '../files/workspace-path.ts';
import { withoutRollouts } from './bullets.ts';
import { LIVE_NOTES } from './live-notes.ts';
import { readFrontMatter, writeFrontMatter } from './raw-memory.ts';

/** The distilled files of a memory, without content whose source rollouts are all gone. Paths are relative to its folder. */
export function forgetRollouts(
  files: ReadonlyMap<string, string>,
  layout: Layout,
  gone: ReadonlySet<string>,
): Map<string, string> {
  const kept = new Map(files);
  for (const name of [layout.summaryFile, layout.memoryFile, LIVE_NOTES]) {
    const text = kept.get(name);
    if (text !== undefined) kept.set(name, withoutLinks(withoutRollouts(text, gone), gone));
  }
  if (kept.get(LIVE_NOTES) === '') kept.delete(LIVE_NOTES);
  for (const [path, text] of files) {
    if (!isBelow(path, NAMES.skills)) continue;
    if (kept.has(path)) kept.set(path, withoutLinks(text, gone));
    if (!path.endsWith('/SKILL.md')) continue;
    const left = skillWithout(text, gone);
    if (left !== undefined) kept.set(path, withoutLinks(left, gone));
    else for (const other of files.keys()) if (isBelow(other, path.slice(0, -'/SKILL.md'.length))) kept.delete(other);
  }
  return kept;
}

/** Removes links to summaries of removed rollouts. */
function withoutLinks(text: string, gone: ReadonlySet<string>): string {
  return text
    .replace(MARKDOWN_LINK, (link, title, id) => (gone.has(id) ? title : link))
    .replace(LINK, (link, id) => (gone.has(id) ? '(forgotten)' : link));
}

const LINK = /rollout_summaries\/([a-z0-9~-]+)_[\w-]*\.md/g;
const MARKDOWN_LINK = new RegExp(`\\[([^\\]\\n]*)\\]\\(\\s*${LINK.source}\\s*\\)`, 'g');

/** `undefined` if the skill has no other source. */
function skillWithout(text: string, gone: ReadonlySet<string>): string | undefined {
  const { fields, body } = readFrontMatter(text) ?? {};
  const rollouts = (fields?.get('rollouts') ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
  const left = rollouts.filter((id) => !gone.has(id));
  if (fields === undefined || body === undefined || left.length === rollouts.length) return text;
  if (left.length === 0) return undefined;
  return writeFrontMatter(new Map(fields).set('rollouts', left.join(', ')), body);
}
