/**
 * Loaded before the program: gives up the rights of root, to whom nothing is forbidden. What the program loads later is
 * loaded first, since nobody else may be able to read it.
 */
await import('../../src/commands/remember.ts');
await import('../../src/commands/recall.ts');
await import('../../src/commands/import.ts');
await import('../../src/context.ts');

const NOBODY = 65_534;
if (process.getuid?.() === 0) process.setuid?.(NOBODY);
