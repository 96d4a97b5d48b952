import { writeSync } from 'node:fs';

/** Prints a line synchronously, so that it is not lost if the process is killed. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}
