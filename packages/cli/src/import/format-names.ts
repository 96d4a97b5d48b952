/** The formats of `--format`. Not beside the formats, so that the command line starts quickly. */
export const FORMAT_NAMES = [
  'messages',
  'keepsake',
  'chatgpt',
  'claude',
  'locomo',
  'claude-code',
  'server-memory',
  'langgraph',
  'mem0',
  'letta',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
