/**
 * Loaded before the program: drops root privileges, because root may do everything. Modules that the program loads later
 * are loaded first, because the new user may not be able to read them.
 */
await import('../../src/commands/remember.ts');
await import('../../src/commands/recall.ts');
await import('../../src/commands/import.ts');
await import('../../src/context.ts');

const NOBODY = 65_534;
if (process.getuid?.() === 0) process.setuid?.(NOBODY);
