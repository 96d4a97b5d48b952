import type { JsonObject, JsonValue } from '../json/json.ts';

/** A language model for extracting facts, summaries and profiles. */
export interface MemoryModel {
  /**
   * Answers a prompt. With `schema` (JSON Schema), the answer is matching JSON in `object`.
   *
   * Failures reject; an aborted `signal` rejects promptly.
   */
  generate(request: {
    readonly system?: string;
    readonly prompt: string;
    readonly schema?: JsonObject;
    readonly signal?: AbortSignal;
  }): Promise<{
    readonly text: string;
    readonly object?: JsonValue;
    readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  }>;
}
