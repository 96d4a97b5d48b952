/**
 * Makes text safe to print: removes escape sequences, replaces other control characters and those that change
 * the direction or have no width, and converts tabs to spaces. Line breaks become spaces too, unless `lines` is set.
 */
export function printable(text: string, { lines = false }: { readonly lines?: boolean } = {}): string {
  const plain = text
    .replace(ESCAPE_SEQUENCE, '')
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(/\t/g, ' ');
  return (lines ? plain : plain.replace(/\n/g, ' ')).replace(CONTROL, '\ufffd').replace(INVISIBLE, '\ufffd');
}

// The escape sequences of ECMA-48: strings, such as titles and links, with their content; control sequences, such as
// colours; and all others. `stripVTControlCharacters` of Node 22 also removes the text between a colour and a bell.
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences consist of control characters
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Text with these reads differently than it is, or hides text. Joiners and the selectors of emoji stay, because scripts and emoji need them. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{DI}/gu;
