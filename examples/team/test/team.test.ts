import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { expect, it } from 'vitest';

it('the program shows the access of each user and agent', async () => {
  const { status, stdout, stderr } = await runProgram(join(import.meta.dirname, '../src/main.ts'));
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toEqual([
    '-- Private: one user and one agent',
    "alice asks researcher: remember(favorite color, Teal) → Remembered 'favorite color'.",
    'alice asks researcher: recall(favorite color) → Teal',
    "alice asks writer: recall(favorite color) → No memory found for key 'favorite color'.",
    "bob asks researcher: recall(favorite color) → No memory found for key 'favorite color'.",
    'bob asks researcher: list_memories(agent:researcher:u:alice) → There is no memory yet.',
    '-- Team: all its members and agents',
    "alice asks researcher: share_finding(budget, The budget is 40,000) → Shared 'budget'.",
    'bob asks writer: read_shared(budget) → budget: The budget is 40,000 (by u:alice)',
    'carol asks writer: read_shared(budget) → refused: This principal is not a member of team "research-team".',
    '-- Pools: everyone on their access lists',
    "alice asks researcher: share_to(org:engineering-docs, api, OpenAPI 3.1) → Shared 'api'.",
    'bob asks writer: read_from_pool(org:engineering-docs, api) → api: OpenAPI 3.1 (by u:alice)',
    'bob asks writer: share_to(org:engineering-docs, api, None) → refused: "org:engineering-docs" is read-only, because it was opened with `writable: false`.',
    "bob asks researcher: share_to(project:researcher-shared, tip, Ask Ines) → Shared 'tip'.",
    'alice asks researcher: search_pool(project:researcher-shared, whom to ask) → - tip: Ask Ines (by u:bob)',
    'alice asks writer: list_pool(project:researcher-shared) → There is no such pool. Available pools: org:engineering-docs.',
    'bob asks reviewer: list_memories() → refused: Agent "reviewer" is not shared with this principal.',
    '-- Memories of each agent',
    'researcher: agent:researcher:u:alice (private, 1)',
    'researcher: org:engineering-docs (pool, 1)',
    'researcher: project:researcher-shared (pool, 1)',
    'writer: org:engineering-docs (pool, 1)',
    '-- Alice leaves: 1 memory and 2 shared entries are erased',
    "bob asks writer: read_shared(budget) → No finding found for key 'budget'.",
    'bob asks researcher: list_pool(project:researcher-shared) → - tip: Ask Ines (by u:bob)',
  ]);
});
