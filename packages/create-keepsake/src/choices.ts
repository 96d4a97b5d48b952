/** One of the values of an option. */
export interface Choice {
  /** What it is, in a list to choose from. */
  readonly what: string;
  /** The variables of `.env`, with a comment for each. */
  readonly environment: string;
}

const OPENAI = `# The key of the model. Without it, answers show what a model would read.
OPENAI_API_KEY=
#OPENAI_MODEL=gpt-5-mini
# Another server with OpenAI's Responses API, such as Ollama: http://127.0.0.1:11434/v1, with any key.
#OPENAI_BASE_URL=
`;

/** Each has a template in `templates/frameworks`. */
export const FRAMEWORKS = {
  none: { what: "no framework, any model with OpenAI's API", environment: OPENAI },
  'ai-sdk': {
    what: 'the AI SDK of Vercel',
    environment: `# The key of the AI Gateway. Without it, answers show what a model would read.
AI_GATEWAY_API_KEY=
#AI_MODEL=openai/gpt-5-mini
`,
  },
  'openai-agents': { what: 'the OpenAI Agents SDK', environment: OPENAI },
} as const satisfies Record<string, Choice>;

/** Each has a template in `templates/backends`. */
export const BACKENDS = {
  file: { what: 'files that people can read', environment: '' },
  sqlite: { what: 'one SQLite file', environment: '' },
  postgres: {
    what: 'PostgreSQL, through pg',
    environment: `
# The database, which must exist: createdb chats. Its tables are created in the schema "memory".
DATABASE_URL=postgres://localhost/chats
`,
  },
  redis: {
    what: 'Redis or Valkey, through ioredis',
    environment: `
# The server.
REDIS_URL=redis://127.0.0.1:6379
`,
  },
} as const satisfies Record<string, Choice>;

export type Framework = keyof typeof FRAMEWORKS;
export type Backend = keyof typeof BACKENDS;
