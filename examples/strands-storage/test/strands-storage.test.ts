import { join } from 'node:path';
import { expectExampleToRemember, useDirectory } from '@keepsake/testing';
import { it } from 'vitest';

const directory = useDirectory();

it('the agent continues its session in another process, without an API key', async () => {
  await expectExampleToRemember(
    join(import.meta.dirname, '../src/main.ts'),
    directory.path,
    'AWS_BEARER_TOKEN_BEDROCK',
    { warnings: false },
  );
});
