/** The methods of `Redis` and `Cluster` of ioredis that are used. You own the client, and can share it with anything else. */
export interface RedisClient {
  call(command: string, values: ScriptArgument[]): Promise<unknown>;
  callBuffer(command: string, values: ScriptArgument[]): Promise<unknown>;
  /** Needed for `waitReplicas`: sends commands one after the other over one connection. */
  pipeline?(): RedisPipeline;
  /** With `on`, tells whether an unanswered command was sent at all. */
  readonly status?: string;
  /** Tells whether a command may have been sent twice. Without it, an error can be `OUTCOME_UNKNOWN` more often. */
  on?(event: string, listener: () => void): unknown;
}

/** The methods of a pipeline of ioredis that are used. */
export interface RedisPipeline {
  call(command: string, values: ScriptArgument[]): unknown;
  callBuffer(command: string, values: ScriptArgument[]): unknown;
  exec(): Promise<[error: Error | null, reply: unknown][] | null>;
}

/** An argument of a script. Numbers and strings arrive as their text in UTF-8. */
export type ScriptArgument = string | number | Buffer;

/** One argument, or a list. Spreading a hundred thousand of them would exceed what a call can take. */
export type ScriptArguments = ScriptArgument | readonly ScriptArgument[];
