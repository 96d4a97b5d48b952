import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Context, Settings } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { usageFailure } from './failure.ts';
import { FORMAT_NAMES } from './import/format-names.ts';
import { BACKENDS } from './init/backends.ts';
import { bold, cyan, dim } from './output/style.ts';
import type { Surroundings } from './surroundings.ts';

/** Each command's module exports this function, which runs the command and returns its exit code. */
type Run<Options> = (context: Context, args: readonly string[], options: Options) => Promise<ExitCode>;

const EXAMPLES = `
Examples:
  $ keepsake import conversations.json
  $ keepsake recall "Where did we park?"
  $ keepsake remember "Moved to Lisbon in May." --namespace u:alice
  $ keepsake export > backup.jsonl

Exit codes: 0 success, 1 failure, 2 usage error, 3 not found, 130 interrupted`;

/** Defines the commands and their options. */
export function createProgram(surroundings: Surroundings, setExitCode: (exitCode: ExitCode) => void): Command {
  const { stdout, stderr, env } = surroundings;
  const program = new Command('keepsake')
    .description('Memory for AI agents, on the backend of your configuration, or in human-readable files.')
    .version(version(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show help for a command')
    .option('-c, --config <file>', 'the configuration (default: the nearest keepsake.config.ts, from here upwards)')
    .option(
      '-d, --directory <directory>',
      "a directory with Keepsake's files (default: .keepsake) (env: KEEPSAKE_DIRECTORY)",
    )
    .setOptionValueWithSource('directory', env.KEEPSAKE_DIRECTORY, 'env')
    .option('-s, --sqlite <file>', 'an SQLite file')
    .option('-n, --namespace <namespace>', 'the namespace, such as u:alice (default: the root)')
    .option('--json', 'print JSON, including errors')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? 80,
      getErrHelpWidth: () => stderr.columns ?? 80,
    })
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (text) => bold(text, stdout),
      styleCommandText: (text) => cyan(text, stdout),
      styleDescriptionText: (text) => dim(text, stdout),
    });

  /** Loads a command's module only when the command is called, so that the program starts quickly. */
  function action<Options>(load: () => Promise<{ run: Run<Options> }>, { mayCreate = false } = {}) {
    return async function (this: Command): Promise<void> {
      const settings = this.optsWithGlobals<Settings & Options>();
      // A directory in the environment is only a default.
      const flags = ['config', 'directory', 'sqlite'].filter((name) => program.getOptionValueSource(name) === 'cli');
      if (flags.length > 1) throw usageFailure('Pass only one of --config, --directory and --sqlite.');
      const [{ openContext }, { run }] = await Promise.all([import('./context.ts'), load()]);
      // A backend that nobody named need not be there yet.
      const context = await openContext(settings, mayCreate || flags.length === 0, surroundings);
      try {
        setExitCode(await run(context, this.args, settings));
      } finally {
        await context.close();
        context.warnOfDamage();
      }
    };
  }

  /** The same for commands that open their backends themselves, or none. */
  function ownAction<Options>(
    load: () => Promise<{ run(options: Settings & Options, surroundings: Surroundings): Promise<ExitCode> }>,
  ) {
    return async function (this: Command): Promise<void> {
      const { run } = await load();
      setExitCode(await run(this.optsWithGlobals<Settings & Options>(), surroundings));
    };
  }

  program
    .command('init')
    .summary('write a configuration for a backend')
    .description('Writes keepsake.config.ts into this directory, and says what to install.')
    .addOption(new Option('-b, --backend <backend>', 'where memory is stored (default: asks)').choices(BACKENDS))
    .action(ownAction(() => import('./commands/init.ts')));

  program
    .command('demo')
    .summary('chat with an agent that remembers: no key, no server')
    .description(
      'A chat that remembers what you told it earlier, in files. It answers from memory; with --model or OPENAI_API_KEY, ' +
        'a model answers. Type help to see what you can say.',
    )
    .option('--show-memory', 'show what was recalled, and what a model gets to see')
    .option('--model <server>', "a model answers: ollama, or the URL of a server with OpenAI's Chat Completions API")
    .option('--model-name <name>', 'the model of that server (default: OPENAI_MODEL, llama3.2 or gpt-5-mini)')
    .option('--embedder <server>', "find memories by meaning, too: ollama, or the URL of a server with OpenAI's API")
    .option('--embedding-model <name>', 'the model of the embedder (default: that of the server)')
    .action(ownAction(() => import('./commands/demo.ts')));

  program
    .command('copy')
    .summary('copy all memories and sessions to another backend')
    .description(
      'Copies memories, conversations and sessions, then reads both ends and compares them. Adds only what is missing, so run ' +
        'it again after an interruption. Each end is a configuration, an SQLite file (.db) or a directory.',
    )
    .requiredOption('--from <place>', 'where to copy from, such as .keepsake')
    .requiredOption('--to <place>', 'where to copy to, such as keepsake.config.ts')
    .action(ownAction(() => import('./commands/copy.ts')));

  program
    .command('import')
    .summary('import conversations or memories from a file')
    .description(
      'Stores what a file has as memories: messages as JSONL of { role, content, createdAt? }, a ChatGPT or Claude export ' +
        '(conversations.json), transcripts of Claude Code, sessions of the OpenAI Agents SDK, memories of mem0, a Letta agent ' +
        'file, the memory.jsonl of the MCP memory server, items of a LangGraph store, a LoCoMo file, or the output of keepsake ' +
        'export. Importing it again adds only what is missing.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .addOption(
      new Option('--as <kind>', 'what conversations become; sessions keep their tool calls')
        .choices(['memories', 'sessions'])
        .default('memories'),
    )
    .addOption(new Option('-f, --format <format>', 'the format (default: detected)').choices(FORMAT_NAMES))
    .option('--strict', 'stop at the first line that cannot be read (default: report it and go on)')
    .option('--redact', 'replace passwords, keys and tokens by [redacted]')
    .action(action(() => import('./commands/import.ts'), { mayCreate: true }));

  program
    .command('recall')
    .description('show the memories that match a question, best first')
    .argument('<question...>', 'the question, in your own words')
    .addOption(limit('the maximum number of memories', 5))
    .option('--explain', 'show how each score is computed')
    .action(action(() => import('./commands/recall.ts')));

  program
    .command('remember')
    .description('store a text as a memory')
    .argument('[text...]', 'the text; if it is - or missing, standard input is read')
    .action(action(() => import('./commands/remember.ts'), { mayCreate: true }));

  program
    .command('list')
    .description('show the memories, newest first')
    .addOption(limit('the maximum number of memories', 20))
    .option('--cursor <cursor>', 'continue at the cursor that an earlier page printed')
    .option('--all', 'show all pages, ignoring --limit')
    .action(action(() => import('./commands/list.ts')));

  program
    .command('forget')
    .description('remove memories')
    .argument('<id...>', 'the ids that recall and list print')
    .action(action(() => import('./commands/forget.ts')));

  program
    .command('namespaces')
    .description('show the namespaces that contain memories, with counts')
    .option('-a, --agent <name>', 'only the namespaces of this agent: those of its users, and all below them')
    .action(action(() => import('./commands/namespaces.ts')));

  const sessions = program.command('sessions').description('list, show or delete sessions');
  sessions
    .command('list', { isDefault: true })
    .description('list the sessions, most recently active first (the default)')
    .addOption(limit('the maximum number of sessions', 20))
    .option('--cursor <cursor>', 'continue at the cursor that an earlier page printed')
    .option('--all', 'show all pages, ignoring --limit')
    .allowExcessArguments()
    .action(action(() => import('./commands/sessions/list.ts')));
  sessions
    .command('show')
    .description('show the items of a session, oldest first')
    .argument('<id>')
    .addOption(new Option('-l, --limit <count>', 'show only this many of the newest items').argParser(wholeNumber()))
    .action(action(() => import('./commands/sessions/show.ts')));
  sessions
    .command('delete')
    .description('delete sessions')
    .argument('<id...>')
    .action(action(() => import('./commands/sessions/delete.ts')));

  const conversations = program
    .command('conversations')
    .description('list, show or delete conversations of agents, teams and workflows, and list runs that wait');
  conversations
    .command('list', { isDefault: true })
    .description('list the conversations, newest first (the default)')
    .addOption(kind('only conversations of this kind'))
    .option('-u, --user <user>', 'only conversations of this user')
    .option('--tenant <tenant>', 'the tenant (default: the configured one)')
    .addOption(limit('the maximum number of conversations', 20))
    .option('--cursor <cursor>', 'continue at the cursor that an earlier page printed')
    .option('--all', 'show all pages, ignoring --limit')
    .allowExcessArguments()
    .action(action(() => import('./commands/conversations/list.ts')));
  conversations
    .command('waiting')
    .description('list the paused runs, such as those that wait for approval, newest first')
    .addOption(kind('only runs of this kind'))
    .option('-u, --user <user>', 'only runs in conversations of this user')
    .option('--tenant <tenant>', 'the tenant (default: the configured one)')
    .addOption(limit('the maximum number of runs', 20))
    .option('--cursor <cursor>', 'continue at the cursor that an earlier page printed')
    .option('--all', 'show all pages, ignoring --limit')
    .action(action(() => import('./commands/conversations/waiting.ts')));
  conversations
    .command('show')
    .description('show the history of a conversation, oldest first')
    .argument('<id>')
    .addOption(kind('the kind of the conversation').default('agent'))
    .option('-u, --user <user>', 'only if it belongs to this user or has no user')
    .option('--tenant <tenant>', 'the tenant (default: the configured one)')
    .addOption(new Option('-l, --limit <count>', 'show only this many of the newest items').argParser(wholeNumber()))
    .action(action(() => import('./commands/conversations/show.ts')));
  conversations
    .command('delete')
    .description('delete conversations with all their runs')
    .argument('<id...>')
    .addOption(kind('the kind of the conversations').default('agent'))
    .option('-u, --user <user>', 'only if they belong to this user or have no user')
    .option('--tenant <tenant>', 'the tenant (default: the configured one)')
    .action(action(() => import('./commands/conversations/delete.ts')));

  const workspace = program
    .command('workspace')
    .description('show, generate or forget what agents learned from their runs')
    .option(
      '-w, --workspace <directory>',
      'the directory that the agents share (default: the configured one, or .agent)',
    )
    .option('--sessions-dir <folder>', 'the folder with the transcripts (default: sessions)')
    .option('--memories-dir <folder>', 'the folder with the memories (default: memories)')
    .option('--summary-file <name>', 'the file that each run receives (default: memory_summary.md)')
    .option('--memory-file <name>', 'the file that runs can search (default: MEMORY.md)');
  workspace
    .command('show')
    .description('show the conversations with their status, and the summary that each run receives')
    .action(action(() => import('./commands/workspace/show.ts')));
  workspace
    .command('generate')
    .summary('distil new conversations into memories')
    .description(
      'Distils new conversations into memories, using the model of the configuration, or else OPENAI_MODEL with OPENAI_API_KEY. This costs tokens.',
    )
    .addOption(new Option('--max-tokens <count>', 'the maximum number of tokens to spend').argParser(wholeNumber()))
    .addOption(
      new Option(
        '--max-consolidation-tokens <count>',
        'the maximum for rewriting the memory (default: 500000)',
      ).argParser(wholeNumber()),
    )
    .addOption(
      new Option('--max-prompt-tokens <count>', 'the longest prompt, at least 4000 (default: 150000)').argParser(
        wholeNumber(),
      ),
    )
    .addOption(
      new Option('--max-turns <count>', 'the maximum number of model answers for rewriting (default: 24)').argParser(
        wholeNumber(1_000),
      ),
    )
    .addOption(
      new Option('--model-timeout-ms <ms>', 'the deadline of a model call (default: 120000)').argParser(wholeNumber()),
    )
    .addOption(
      new Option(
        '--max-raw-memories-for-consolidation <count>',
        'the number of newest conversations in the memory (default: 256)',
      ).argParser(wholeNumber(4_096)),
    )
    .addOption(
      new Option(
        '--retain-removed-days <days>',
        'how long to keep the files of older conversations (default: 30)',
      ).argParser(Number),
    )
    .option('--extra-prompt <text>', 'what to focus on')
    .action(action(() => import('./commands/workspace/generate.ts')));
  workspace
    .command('forget')
    .description('remove conversations and what was learned only from them')
    .argument('<id...>', 'the ids that workspace show prints')
    .action(action(() => import('./commands/workspace/forget.ts')));

  program
    .command('export')
    .description('print all memories of the namespace as JSONL, which keepsake import reads')
    .action(action(() => import('./commands/export.ts')));

  program
    .command('export-user')
    .description('print all data of a user as JSONL: memories of all agents, shared entries, conversations')
    .argument('<id>', 'the id of the user')
    .option('--service', 'the id belongs to a service, not to a user')
    .addOption(userNamespace())
    .option('--tenant <tenant>', 'the tenant of the conversations (default: the configured one)')
    .action(action(() => import('./commands/export-user.ts')));

  program
    .command('erase-user')
    .description('erase all data of a user: memories of all agents, and conversations')
    .argument('<id>', 'the id of the user')
    .option('--dry-run', 'only count, erase nothing')
    .option('--shared', 'also erase what they wrote in pools and teams')
    .option('--service', 'the id belongs to a service, not to a user')
    .addOption(userNamespace())
    .option('--tenant <tenant>', 'the tenant of the conversations (default: the configured one)')
    .action(action(() => import('./commands/erase-user.ts')));

  program
    .command('doctor')
    .description('check all files of the directory for damage')
    .option('--repair', 'repair the damage that can be repaired')
    .action(action(() => import('./commands/doctor.ts')));

  program
    .command('panel')
    .summary('show the memory in your browser')
    .description('Serves a page on 127.0.0.1 that shows, searches, edits and erases memories, until you stop it.')
    .option('--read-only', 'refuse every change')
    .addOption(new Option('-p, --port <port>', 'the port (default: any free port)').argParser(wholeNumber(65_535)))
    .action(action(() => import('./commands/panel.ts')));

  program
    .command('backup')
    .description('copy the directory or SQLite file, while other processes use it')
    .argument('<target>', 'the path of the new directory or file')
    .action(action(() => import('./commands/backup.ts')));

  return program;
}

/** Can be repeated. Not variadic, because it would take the id of the user as another pattern. */
function userNamespace(): Option {
  return new Option(
    '--user-namespace <pattern>',
    'more namespaces that belong to users, such as customers:{user_id}; can be repeated (default: the configured ones)',
  ).argParser((pattern: string, before: readonly string[] = []) => [...before, pattern]);
}

function kind(what: string): Option {
  return new Option('-k, --kind <kind>', what).choices(['agent', 'team', 'workflow']);
}

function limit(what: string, defaultLimit: number): Option {
  return new Option('-l, --limit <count>', what).default(defaultLimit).argParser(wholeNumber(1_000));
}

function wholeNumber(max?: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= (max ?? Number.MAX_SAFE_INTEGER)) return number;
    const range = max === undefined ? 'greater than 0' : `from 1 to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
