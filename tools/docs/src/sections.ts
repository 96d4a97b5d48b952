/** The pages of the site, in the order of the sidebar. A page is a Markdown file of the repository. */
export interface Section {
  readonly title: string;
  readonly pages: readonly (readonly [title: string, path: string])[];
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      ['Overview', 'README.md'],
      ['Getting started', 'docs/getting-started.md'],
      ['Recipes', 'docs/recipes.md'],
      ['Which backend?', 'docs/backends.md'],
      ['Which class?', 'docs/five-ways.md'],
      ['Comparison', 'docs/comparison.md'],
      ['Glossary', 'docs/glossary.md'],
      ['Questions and answers', 'docs/questions.md'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['The memory manager', 'docs/manager.md'],
      ['Injection', 'docs/injection.md'],
      ['Extraction', 'docs/extraction.md'],
      ['Memory tools', 'docs/memory-tools.md'],
      ['Shutdown, crashes and failures', 'docs/manager-failures.md'],
      ['Records and filters', 'docs/records.md'],
      ['Conversations', 'docs/conversations.md'],
      ['Namespaces', 'docs/namespaces.md'],
      ['Workspace memory', 'docs/workspace-memory.md'],
      ['Recall', 'docs/recall.md'],
      ['The search engine', 'docs/search-engine.md'],
    ],
  },
  {
    title: 'Backends',
    pages: [
      ['What every backend promises', 'docs/core.md'],
      ['Files', 'docs/files.md'],
      ['SQLite', 'docs/sqlite.md'],
      ['Redis', 'docs/redis.md'],
      ['PostgreSQL', 'docs/postgres.md'],
      ['Prisma: PostgreSQL, SQLite', 'docs/prisma.md'],
      ['OpenAI', 'docs/openai.md'],
      ['Amazon Bedrock', 'docs/bedrock.md'],
      ['Write an adapter', 'docs/write-an-adapter.md'],
    ],
  },
  {
    title: 'Coming from',
    pages: [
      ['Strands', 'docs/coming-from-strands.md'],
      ['LangGraph', 'docs/coming-from-langgraph.md'],
      ['mem0', 'docs/coming-from-mem0.md'],
      ['Mastra', 'docs/coming-from-mastra.md'],
      ['AI SDK', 'docs/coming-from-ai-sdk.md'],
      ["OpenAI Agents SDK's sessions", 'docs/coming-from-openai-agents.md'],
    ],
  },
  {
    title: 'Frameworks',
    pages: [
      ['OpenAI Agents SDK', 'docs/openai-agents.md'],
      ['Strands', 'docs/strands.md'],
      ['Sessions of Strands', 'docs/strands-storage.md'],
      ['AI SDK', 'docs/ai-sdk.md'],
      ['Claude', 'docs/claude.md'],
      ['Conversations in agents', 'docs/conversations-in-agents.md'],
    ],
  },
  {
    title: 'Programs',
    pages: [
      ['Configuration', 'docs/configuration.md'],
      ['Command line', 'docs/command-line.md'],
      ['MCP server', 'docs/mcp.md'],
      ['MCP clients', 'docs/mcp-clients.md'],
      ['Memory servers compared', 'docs/mcp-comparison.md'],
      ['Memory panel', 'docs/panel.md'],
    ],
  },
  {
    title: 'Operations',
    pages: [
      ['Backup', 'docs/backup.md'],
      ['Durability', 'docs/durability.md'],
      ['Runtimes', 'docs/runtimes.md'],
      ['Scaling out', 'docs/scaling-out.md'],
      ['Monitoring', 'docs/monitoring.md'],
      ['Erasure and the GDPR', 'docs/erasure.md'],
      ['Security', 'docs/security.md'],
      ['Errors', 'docs/errors.md'],
    ],
  },
  {
    title: 'Project',
    pages: [
      ['Roadmap and versions', 'docs/roadmap.md'],
      ['Publishing', 'docs/publishing.md'],
    ],
  },
];
