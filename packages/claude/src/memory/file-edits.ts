const MAX_LINES = 999_999;
const WIDTH = String(MAX_LINES).length;
/** How many lines around an edit its result shows. */
const AROUND = 2;

const LINE_BREAK = /\r?\n/g;

/** What `view` shows of a file. */
export function numberedFile(path: string, text: string, range?: readonly number[] | null): string {
  const lines = text.split(LINE_BREAK);
  if (lines.length > MAX_LINES) {
    const most = MAX_LINES.toLocaleString('en');
    throw new Error(`File ${path} has too many lines (${lines.length}). Maximum is ${most} lines.`);
  }
  const [first = 1, last = -1] = range?.length === 2 ? range : [];
  const start = Math.max(1, first) - 1;
  const shown = lines.slice(start, last === -1 ? lines.length : last);
  return `Here's the content of ${path} with line numbers:\n${numbered(shown, start)}`;
}

/**
 * The text after `str_replace`, and what the command says. Throws unless the text has `search` exactly once. `view` shows
 * CRLF as a line break, so the breaks of `search` match those of the file, and those of `replacement` become them.
 */
export function replaced(
  path: string,
  text: string,
  search: string,
  replacement: string,
): [text: string, says: string] {
  const oldText = text.includes(search) ? search : withBreaksOf(text, search);
  const lines = linesWith(text, oldText);
  const [line] = lines;
  if (line === undefined) {
    throw new Error(`No replacement was performed, old_str \`${search}\` did not appear verbatim in ${path}.`);
  }
  if (lines.length > 1) {
    const where = `Multiple occurrences of old_str \`${search}\` in lines: ${[...new Set(lines)].join(', ')}`;
    throw new Error(`No replacement was performed. ${where}. Please ensure it is unique`);
  }
  const after = text.replace(oldText, () => withBreaksOf(text, replacement));
  const start = Math.max(0, line - 1 - AROUND);
  const snippet = numbered(after.split(LINE_BREAK).slice(start, line + AROUND), start);
  const says = 'The memory file has been edited. Here is the snippet showing the change (with line numbers):';
  return [after, `${says}\n${snippet}`];
}

/** The text with a line inserted after line number `at`. */
export function inserted(text: string, at: number, line: string): string {
  const lines = text.split(LINE_BREAK);
  if (!(at >= 0 && at <= lines.length)) {
    const range = `It should be within the range of lines of the file: [0, ${lines.length}]`;
    throw new Error(`Invalid \`insert_line\` parameter: ${at}. ${range}`);
  }
  const added = withBreaksOf(text, line.replace(/\r?\n$/, ''));
  // Other lines keep their breaks, also in a file that has both kinds.
  const breaks = (text.match(LINE_BREAK) ?? []).toSpliced(at, 0, withBreaksOf(text, '\n'));
  return lines
    .toSpliced(at, 0, added)
    .map((one, index) => one + (breaks[index] ?? ''))
    .join('');
}

/** A part with the line breaks of a text: CRLF if it has any. */
function withBreaksOf(text: string, part: string): string {
  return part.replace(LINE_BREAK, text.includes('\r\n') ? '\r\n' : '\n');
}

/** The number of the line where each occurrence begins. The empty text occurs once in each line. */
function linesWith(text: string, search: string): number[] {
  if (search === '') return text.split('\n').map((_, index) => index + 1);
  const lines: number[] = [];
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + 1)) {
    lines.push(text.slice(0, at).split('\n').length);
  }
  return lines;
}

function numbered(lines: readonly string[], before: number): string {
  return lines.map((line, index) => `${String(before + index + 1).padStart(WIDTH)}\t${line}`).join('\n');
}
