import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installChromium } from './install-chromium.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * The path of a Chromium: `CHROMIUM_PATH` where it is set, else one on the `PATH`, else one from npm, which the first call
 * installs.
 */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const { CHROMIUM_PATH: path, PATH = '' } = env;
  if (path !== undefined && path !== '') {
    if (existsSync(path)) return path;
    throw new Error(`CHROMIUM_PATH names a file that does not exist: ${path}`);
  }
  const onPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return onPath.find((candidate) => existsSync(candidate)) ?? (await installChromium()).program;
}
