import type { JsonObject, Session } from '@keepsake/core';
import type { AgentInputItem, Session as AgentsSession } from '@openai/agents';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { asSession, type ConversationHandle, type Run, type RunInput, type StandardSchema } from '../src/index.ts';

/* Schemas of these libraries are accepted without adapters. */
export const schemas: StandardSchema[] = [
  z.object({ name: z.string() }),
  v.object({ name: v.string() }),
  type({ name: 'string' }),
];

declare const handle: ConversationHandle<AgentInputItem>;
export const session: Session<AgentInputItem> = asSession(handle);
export const agentsSession: AgentsSession = asSession(handle);

/* A loaded run can be saved again. */
declare const run: Run;
export const again: RunInput = { ...run, status: 'completed' };

// @ts-expect-error A run has one of five states.
export const wrong: RunInput<JsonObject> = { status: 'done', items: [] };
