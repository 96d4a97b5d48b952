/* Type tests: the bridge fits the published SDKs. Only `tsc` checks this file (npm run typecheck). */
import { anthropic } from '@ai-sdk/anthropic';
import {
  foldSessionSummary,
  type Options,
  type SessionKey as SdkSessionKey,
  type SessionStore,
  type SessionStoreEntry,
  type SessionSummaryEntry,
} from '@anthropic-ai/claude-agent-sdk';
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import type { BetaMemoryTool20250818Command } from '@anthropic-ai/sdk/resources/beta';
import { InMemoryStore } from '@keepsake/in-memory';
import { localDirectory, recordWorkspace, type Workspace } from '@keepsake/workspace';
import {
  KeepsakeMemoryTool,
  KeepsakeSessionStore,
  type MemoryCommand,
  type MemoryWorkspace,
  type SessionKey,
  type SessionSummary,
  type TranscriptEntry,
} from '../src/index.ts';

const store = new InMemoryStore({ name: 'claude' });
const sessionStore = new KeepsakeSessionStore({ store, foldSessionSummary });
// With all optional methods.
sessionStore satisfies Required<SessionStore>;
({ sessionStore }) satisfies Options;

declare const ofSdk: { key: SdkSessionKey; entry: SessionStoreEntry; summary: SessionSummaryEntry };
ofSdk.key satisfies SessionKey;
ofSdk.entry satisfies TranscriptEntry;
ofSdk.summary satisfies SessionSummary;
declare const ours: { entry: TranscriptEntry; summary: SessionSummary };
ours.entry satisfies SessionStoreEntry;
ours.summary satisfies SessionSummaryEntry;

const tool = new KeepsakeMemoryTool({ workspace: localDirectory('.agent') });
tool satisfies MemoryToolHandlers;
betaMemoryTool(tool);
anthropic.tools.memory_20250818({ execute: tool.execute });
declare const command: BetaMemoryTool20250818Command;
command satisfies MemoryCommand;
recordWorkspace(store) satisfies MemoryWorkspace;
declare const workspace: Workspace;
workspace satisfies MemoryWorkspace;

// @ts-expect-error the fold is required
new KeepsakeSessionStore({ store });
// @ts-expect-error a store is not a workspace
new KeepsakeMemoryTool({ workspace: store });
