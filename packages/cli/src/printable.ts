import { stripVTControlCharacters } from 'node:util';

/**
 * Text that does nothing to a terminal but show: escape sequences are dropped, other control characters replaced. Tabs
 * become spaces, and so do line ends unless `lines` are kept.
 */
export function printable(text: string, { lines = false }: { readonly lines?: boolean } = {}): string {
  const plain = stripVTControlCharacters(text)
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(/\t/g, ' ');
  return (lines ? plain : plain.replace(/\n/g, ' ')).replace(CONTROL, '\ufffd');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are just what is to be replaced
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;
