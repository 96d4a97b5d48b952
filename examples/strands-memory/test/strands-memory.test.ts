import { join } from 'node:path';
import { expectExampleToRemember, useDirectory } from '@keepsake/testing';
import { it } from 'vitest';

const directory = useDirectory();

it('knows in one process what it was told in another, with no key', async () => {
  await expectExampleToRemember(
    join(import.meta.dirname, '../src/main.ts'),
    directory.path,
    'AWS_BEARER_TOKEN_BEDROCK',
  );
});
