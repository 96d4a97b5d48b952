import { writeSync } from 'node:fs';

/** Writes a line at once: what was said was said, also where the process is killed. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}
