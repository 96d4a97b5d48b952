import { join } from 'node:path';
import { installApart } from '@keepsake/testing/install-apart';

/** The path of Bun, which the first call installs. */
export async function findBun(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const machine = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const program = process.platform === 'win32' ? 'bun.exe' : 'bun';
  return join(await installApart(join(import.meta.dirname, '../bun')), `@oven/bun-${system}-${machine}/bin/${program}`);
}

/** The path of Deno, which the first call installs. */
export async function findDeno(): Promise<string> {
  const { platform, arch } = process;
  const program = platform === 'win32' ? 'deno.exe' : 'deno';
  const build = `${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;
  return join(await installApart(join(import.meta.dirname, '../deno')), `@deno/${build}/${program}`);
}
