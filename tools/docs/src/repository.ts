import { join } from 'node:path';

/** The folder of the repository. */
export const root = join(import.meta.dirname, '../../..');

/** The address of the repository. */
export const REPOSITORY = 'https://github.com/keepsake-memory/keepsake';
