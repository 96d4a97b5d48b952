import { describe, expect, it } from 'vitest';

/** A call, options whose last field is misspelt, and the intended field. */
export type MisspeltOption = readonly [of: string, call: (options: never) => unknown, options: object, nearest: string];

/** Tests that each call refuses its misspelt option and suggests the intended field. */
export function refusesUnknownOptions(cases: readonly MisspeltOption[]): void {
  describe('refuses unknown options and suggests the nearest', () => {
    it.each(cases)('%s', async (_, call, options, nearest) => {
      const misspelt = Object.keys(options).at(-1);
      await expect((async () => call(options as never))()).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(`^Unknown option \`${misspelt}\`.* Did you mean \`${nearest}\`\\?$`),
      });
    });
  });
}
