import { styleText } from 'node:util';
import type { OutputStream } from '../surroundings.ts';

/* Colours. Node omits them if the stream that shows the text is not a terminal or NO_COLOR is set. */

export type Style = (text: string, stream: OutputStream) => string;

const styled =
  (format: Parameters<typeof styleText>[0]): Style =>
  (text, stream) =>
    styleText(format, text, { stream });

export const bold = styled('bold');
export const dim = styled('dim');
export const cyan = styled('cyan');
export const green = styled('green');
export const red = styled('red');
export const yellow = styled('yellow');
