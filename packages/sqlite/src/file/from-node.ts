import { MemoryError } from '@keepsake/core';

/**
 * A module of Node.js, for files. Neither `import` nor `import()` loads it, because bundlers would make both an import at the
 * top, and the package could not be loaded where there are no such modules, as in Cloudflare Workers.
 *
 * @throws MemoryError `UNSUPPORTED` if this runtime does not have it.
 */
export const fromNode = ((name: string) => {
  const module = globalThis.process?.getBuiltinModule?.(name);
  if (module !== undefined) return module;
  throw new MemoryError(
    'UNSUPPORTED',
    `A \`file\` needs ${name}, which Node.js has from version 22.13 on, and this runtime does not have. Pass a \`database\` in its place.`,
  );
}) as typeof process.getBuiltinModule;
