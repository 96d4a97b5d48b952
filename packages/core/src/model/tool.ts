import type { JsonObject, JsonValue } from '../json/json.ts';

/** A tool that a model can call, independent of frameworks. Bridges translate it. */
export interface MemoryTool {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`, which every model provider accepts. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly inputSchema: JsonObject;
  /** Runs the tool. Its result is JSON; a failure rejects. */
  execute(input: JsonValue, options?: { readonly signal?: AbortSignal | undefined }): Promise<JsonValue>;
  /** The tool of a framework that this one was made of. The bridge to that framework uses it instead. */
  readonly native?: object;
}
