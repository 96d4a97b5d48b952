/* The types of the Claude Agent SDK, by their structure: the package needs none of its 200 MB. Type tests compare them. */

/** A transcript: that of a session, or with a `subpath` that of one of its subagents. */
export interface SessionKey {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string | undefined;
}

/** A line of a transcript. Everything but these fields is opaque. */
export interface TranscriptEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

/** What is known of a session without reading its transcript. */
export interface SessionSummary {
  sessionId: string;
  /** When the session was last written, in milliseconds since 1970. */
  mtime: number;
  /** Belongs to the SDK. */
  data: Record<string, unknown>;
}

/** `foldSessionSummary` of the Claude Agent SDK. */
export type FoldSessionSummary = (
  before: SessionSummary | undefined,
  key: { projectKey: string; sessionId: string },
  entries: TranscriptEntry[],
  options: { mtime: number },
) => SessionSummary;
