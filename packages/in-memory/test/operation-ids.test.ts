import { expectToForgetOperations } from '@keepsake/suites/sessions/operation-ids';
import { it } from 'vitest';
import { InMemorySession } from '../src/index.ts';

it('operations are forgotten after 30 days, but not the latest 1,000 and as many as there are items', () =>
  expectToForgetOperations(new InMemorySession()));
