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
      ['Which part?', 'docs/five-ways.md'],
      ['Which backend?', 'docs/backends.md'],
      ['Glossary', 'docs/glossary.md'],
      ['Questions', 'docs/questions.md'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['The memory manager', 'docs/manager.md'],
      ['Records and filters', 'docs/records.md'],
      ['Conversations', 'docs/conversations.md'],
      ['Namespaces', 'docs/namespaces.md'],
      ['Workspace memory', 'docs/workspace-memory.md'],
      ['Recall', 'docs/recall.md'],
    ],
  },
  {
    title: 'Backends',
    pages: [
      ['SQLite', 'docs/sqlite.md'],
      ['Redis', 'docs/redis.md'],
      ['Prisma: PostgreSQL, SQLite', 'docs/prisma.md'],
      ['OpenAI', 'docs/openai.md'],
      ['Amazon Bedrock', 'docs/bedrock.md'],
      ['Write an adapter', 'docs/write-an-adapter.md'],
    ],
  },
  {
    title: 'Frameworks',
    pages: [
      ['Coming from Strands', 'docs/coming-from-strands.md'],
      ['Sessions of Strands', 'docs/strands-storage.md'],
      ['Coming from LangGraph', 'docs/coming-from-langgraph.md'],
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
      ['Memory panel', 'docs/panel.md'],
    ],
  },
  {
    title: 'Operations',
    pages: [
      ['Backup', 'docs/backup.md'],
      ['Durability', 'docs/durability.md'],
      ['Security', 'docs/security.md'],
      ['Errors', 'docs/errors.md'],
    ],
  },
];
