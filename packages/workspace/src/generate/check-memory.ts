import { estimateTokens } from '@keepsake/internal';
import { type Layout, NAMES } from '../files/layout.ts';
import { isRollout, LIVE, readBlocks, rolloutsOf } from './bullets.ts';
import { readFrontMatter } from './raw-memory.ts';

/** The maximum for instructions. */
export const MAX_SUMMARY_TOKENS = 15_000;
const MAX_MEMORY_TOKENS = 100_000;
const MAX_SKILL_TOKENS = 10_000;
const MAX_SKILL_NAME = 64;
const SKILL_NAME = /^[a-z0-9][a-z0-9-]*$/;
const LINK = /rollout_summaries\/[\w.~/-]*/g;
/** More faults would not help the model to repair them. */
const MAX_FAULTS = 20;

/** A memory to check: its files by path, and the valid rollouts. */
export interface Checked {
  readonly files: ReadonlyMap<string, string>;
  readonly layout: Layout;
  readonly rollouts: ReadonlySet<string>;
}

/** The faults of a memory, in words for the model that wrote it; empty if the memory can be kept. */
export function faultsOfMemory(memory: Checked): string[] {
  const { summaryFile, memoryFile } = memory.layout;
  const skills = [...memory.files.keys()].filter((path) => path.startsWith(`${NAMES.skills}/`));
  const faults = [
    ...faultsOfFile(memory, summaryFile, MAX_SUMMARY_TOKENS),
    ...faultsOfFile(memory, memoryFile, MAX_MEMORY_TOKENS),
    ...skills.flatMap((path) => faultsOfSkill(memory, path)),
  ];
  const hasNotes = [...memory.rollouts].some((id) => id !== LIVE);
  const isMissing = (name: string) => hasNotes && !memory.files.get(name)?.trim();
  for (const name of [memoryFile, summaryFile]) if (isMissing(name)) faults.push(`${name} is missing or empty.`);
  return faults.slice(0, MAX_FAULTS);
}

/** The faults of one of the two files of bullets. */
function faultsOfFile(memory: Checked, path: string, maxTokens: number): string[] {
  const text = memory.files.get(path) ?? '';
  const faults = [...faultsOfSize(path, text, maxTokens), ...faultsOfLinks(memory, path, text)];
  for (const block of readBlocks(text)) {
    if (block.kind === 'heading') continue;
    const where = `${path}, ${JSON.stringify(block.text.slice(0, 80))}`;
    if (block.kind === 'other') faults.push(`${where}: all text outside headings must be in bullets.`);
    else for (const fault of faultsOfRollouts(memory, where, rolloutsOf(block.text))) faults.push(fault);
  }
  return faults;
}

function faultsOfSkill(memory: Checked, path: string): string[] {
  const text = memory.files.get(path) ?? '';
  const [, name = '', file] = path.split('/');
  const faults = [...faultsOfSize(path, text, MAX_SKILL_TOKENS), ...faultsOfLinks(memory, path, text)];
  if (!SKILL_NAME.test(name) || name.length > MAX_SKILL_NAME) {
    faults.push(`${path}: the name of a skill must have at most ${MAX_SKILL_NAME} characters of a-z, 0-9 and "-".`);
  }
  if (!memory.files.has(`${NAMES.skills}/${name}/SKILL.md`)) faults.push(`${path}: its skill has no SKILL.md.`);
  if (file !== 'SKILL.md') return faults;
  const { fields } = readFrontMatter(text) ?? {};
  if (fields?.get('name') !== name || !fields.get('description')) {
    faults.push(`${path}: it must begin with front matter with its name, a description and its rollouts.`);
  }
  const rollouts = (fields?.get('rollouts') ?? '').split(',').map((id) => id.trim());
  return [...faults, ...faultsOfRollouts(memory, path, rollouts.filter(Boolean))];
}

function faultsOfSize(path: string, text: string, maxTokens: number): string[] {
  const tokens = estimateTokens(text);
  return tokens <= maxTokens ? [] : [`${path} has about ${tokens} tokens and must have at most ${maxTokens}.`];
}

function faultsOfLinks({ files }: Checked, path: string, text: string): string[] {
  const links = new Set((text.match(LINK) ?? []).map((link) => link.replace(/[.]+$/, '')));
  return [...links].filter((link) => !files.has(link)).map((link) => `${path}: there is no ${link}.`);
}

function faultsOfRollouts({ rollouts }: Checked, where: string, named: readonly string[]): string[] {
  if (named.length === 0)
    return [`${where}: it must end with the rollouts that it comes from, such as [rollouts: id].`];
  const unknown = named.filter((id) => !isRollout(id) || !(rollouts.has(id) || id === LIVE));
  return unknown.map((id) => `${where}: there is no rollout ${JSON.stringify(id.slice(0, 80))} that counts.`);
}
