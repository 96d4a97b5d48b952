/** The front matter of notes. */
export interface FrontMatter {
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The `name: value` lines between `---`, and the rest; `undefined` if a text has no front matter. */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const match = /^\s*---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(text.replaceAll('\r\n', '\n'));
  if (match === null) return undefined;
  const fields = new Map<string, string>();
  for (const line of (match[1] as string).split('\n')) {
    const [, name, value] = /^([A-Za-z_]\w*):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, (value ?? '').trim());
  }
  return { fields, body: text.replaceAll('\r\n', '\n').slice(match[0].length) };
}

export function writeFrontMatter(fields: Iterable<readonly [string, string]>, body: string): string {
  return `---\n${Array.from(fields, ([name, value]) => `${name}: ${value}`).join('\n')}\n---\n${body}`;
}

const OUTCOMES = ['success', 'partial', 'uncertain', 'failed'];

/** The fault of a conversation's notes, or `undefined`. */
export function faultOfRawMemory(rawMemory: string): string | undefined {
  const notes = readFrontMatter(rawMemory);
  if (notes === undefined) return 'rawMemory does not begin with front matter between two lines "---"';
  for (const name of ['description', 'task', 'taskGroup', 'outcome', 'keywords']) {
    if (!notes.fields.get(name)) return `the front matter of rawMemory lacks ${name}`;
  }
  if (!OUTCOMES.includes(notes.fields.get('outcome') as string)) return `outcome is not one of ${OUTCOMES.join(', ')}`;
  return notes.body.trim() === '' ? 'rawMemory has nothing below its front matter' : undefined;
}
