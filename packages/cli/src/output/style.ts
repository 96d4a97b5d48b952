import { styleText } from 'node:util';

/* Colours. Node omits them if the stream is not a terminal or NO_COLOR is set. */

type Style = (text: string, stream?: NodeJS.WriteStream) => string;

const styled =
  (format: Parameters<typeof styleText>[0]): Style =>
  (text, stream = process.stdout) =>
    styleText(format, text, { stream });

export const bold = styled('bold');
export const dim = styled('dim');
export const cyan = styled('cyan');
export const green = styled('green');
export const red = styled('red');
export const yellow = styled('yellow');
