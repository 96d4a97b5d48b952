// GET status

export interface Status {
  /** The configuration file or directory, by its last path segment. */
  readonly name: string;
  readonly version: string;
  readonly readOnly: boolean;
  /** Send it as `CSRF_HEADER` with every change. Missing on a read-only panel. */
  readonly csrfToken?: string;
  readonly store: {
    readonly name: string;
    readonly description?: string;
    readonly writable: boolean;
    readonly capabilities: {
      readonly search: 'lexical' | 'semantic' | 'hybrid';
      readonly durable: boolean;
      readonly shared: boolean;
      readonly enumerate: boolean;
      readonly filter: boolean;
      readonly history: boolean;
      readonly ttl: boolean;
    };
  };
  /** Which views have something to show. */
  readonly parts: {
    readonly sessions: boolean;
    /** The keys of the configured agents. */
    readonly agents: readonly string[];
    readonly workspace: boolean;
  };
}
