import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { expect, it } from 'vitest';

it('a new server gets its share of the tenants, and every tenant keeps what is theirs', async () => {
  const { stdout, stderr, status } = await runProgram(join(import.meta.dirname, '../src/main.ts'), []);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    'Tenants on redis-a: 22, redis-b: 15, redis-c: 23',
    'redis-d was added: 15 tenants moved, 45 stayed.',
    'Tenants on redis-a: 17, redis-b: 9, redis-c: 19, redis-d: 15',
    '60 of 60 tenants find what is theirs, and nothing else.',
    '',
  ]);
});
