import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Context, Settings } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { bold, cyan, dim } from './style.ts';

/** What a module in `commands/` exports: it does the command and says how it ended. */
type Run<Options> = (context: Context, args: readonly string[], options: Options) => Promise<ExitCode>;

const EXAMPLES = `
Examples:
  $ keepsake import conversations.json
  $ keepsake recall "Where did we park?"
  $ keepsake remember "Moved to Lisbon in May." --namespace user:alice
  $ keepsake export > backup.jsonl

Exit codes: 0 fine, 1 failed, 2 called wrongly, 3 nothing found, 130 interrupted`;

/** The commands and their options. What a command needs is loaded when it is called. */
export function createProgram(ended: (exitCode: ExitCode) => void): Command {
  const program = new Command('keepsake')
    .description('Memory for AI agents, in files that people can read.')
    .version(version(), '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addOption(
      new Option('-d, --directory <directory>', 'where the files are').env('KEEPSAKE_DIRECTORY').default('.keepsake'),
    )
    .option('-n, --namespace <namespace>', 'whose memories, such as user:alice (default: the root)')
    .option('--json', 'write JSON, also of errors')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true, styleTitle: bold, styleCommandText: cyan, styleDescriptionText: dim });

  /** Loads a command's module when the command is called. */
  function action<Options>(load: () => Promise<{ run: Run<Options> }>) {
    return async function (this: Command): Promise<void> {
      const settings = this.optsWithGlobals<Settings & Options>();
      const [{ openContext }, { run }] = await Promise.all([import('./context.ts'), load()]);
      const context = openContext(settings);
      try {
        ended(await run(context, this.args, settings));
      } finally {
        await context.close();
        context.warnOfDamage();
      }
    };
  }

  program
    .command('import')
    .summary('remember conversations from a file')
    .description(
      'Remembers what is said in a file: JSONL of { role, content, createdAt? }, an export of ChatGPT or Claude ' +
        '(conversations.json), a LoCoMo file, or what keepsake export wrote. Importing it again adds what is missing.',
    )
    .argument('<file>', 'the file, or - for standard input')
    .action(action(() => import('./commands/import.ts')));

  program
    .command('recall')
    .description('show what is remembered that fits a question, best first')
    .argument('<question...>', 'in any words')
    .addOption(limit('how many memories', 5))
    .option('--explain', 'say of each how its score came about')
    .action(action(() => import('./commands/recall.ts')));

  program
    .command('remember')
    .description('remember a text')
    .argument('[text...]', 'the text; - or nothing to read it from standard input')
    .action(action(() => import('./commands/remember.ts')));

  program
    .command('list')
    .description('show what is remembered, newest first')
    .addOption(limit('how many memories', 20))
    .option('--cursor <cursor>', 'go on where a list ended')
    .option('--all', 'show all of them')
    .action(action(() => import('./commands/list.ts')));

  program
    .command('forget')
    .description('remove memories')
    .argument('<id...>', 'their ids, as recall and list show them')
    .action(action(() => import('./commands/forget.ts')));

  program
    .command('namespaces')
    .description('show the namespaces that hold memories, with their counts')
    .option('-a, --agent <name>', 'only those of an agent: of its users, and what lies below them')
    .action(action(() => import('./commands/namespaces.ts')));

  const sessions = program.command('sessions').description('show, print or delete sessions');
  sessions
    .command('list', { isDefault: true })
    .description('show the sessions, newest activity first; sessions alone does the same')
    .addOption(limit('how many sessions', 20))
    .option('--cursor <cursor>', 'go on where a list ended')
    .option('--all', 'show all of them')
    .allowExcessArguments()
    .action(action(() => import('./commands/sessions-list.ts')));
  sessions
    .command('show')
    .description('print the items of a session, oldest first')
    .argument('<id>')
    .addOption(new Option('-l, --limit <count>', 'only the newest').argParser(wholeNumber(Number.MAX_SAFE_INTEGER)))
    .action(action(() => import('./commands/sessions-show.ts')));
  sessions
    .command('delete')
    .description('remove sessions')
    .argument('<id...>')
    .action(action(() => import('./commands/sessions-delete.ts')));

  const conversations = program
    .command('conversations')
    .description('show, print or delete what agents, teams and workflows went through');
  conversations
    .command('list', { isDefault: true })
    .description('show the conversations, newest first; conversations alone does the same')
    .addOption(kind('only those of one kind'))
    .option('-u, --user <user>', 'only those of one user')
    .option('--tenant <tenant>', 'of a tenant of the store')
    .addOption(limit('how many conversations', 20))
    .option('--cursor <cursor>', 'go on where a list ended')
    .option('--all', 'show all of them')
    .allowExcessArguments()
    .action(action(() => import('./commands/conversations-list.ts')));
  conversations
    .command('show')
    .description('print the history of a conversation, oldest first')
    .argument('<id>')
    .addOption(kind('whose it is').default('agent'))
    .option('-u, --user <user>', 'only if it is of this user, or of nobody')
    .option('--tenant <tenant>', 'of a tenant of the store')
    .addOption(new Option('-l, --limit <count>', 'only the newest').argParser(wholeNumber(Number.MAX_SAFE_INTEGER)))
    .action(action(() => import('./commands/conversations-show.ts')));
  conversations
    .command('delete')
    .description('remove conversations with all their runs')
    .argument('<id...>')
    .addOption(kind('whose they are').default('agent'))
    .option('-u, --user <user>', 'only if they are of this user, or of nobody')
    .option('--tenant <tenant>', 'of a tenant of the store')
    .action(action(() => import('./commands/conversations-delete.ts')));

  const workspace = program
    .command('workspace')
    .description('show, generate or forget what agents have learnt in their runs')
    .option('-w, --workspace <directory>', 'the workspace that they share', '.agent')
    .option('--sessions-dir <folder>', 'its folder of transcripts (default: sessions)')
    .option('--memories-dir <folder>', 'its folder of memories (default: memories)')
    .option('--summary-file <name>', 'the file that runs are given (default: memory_summary.md)')
    .option('--memory-file <name>', 'the file that runs search (default: MEMORY.md)');
  workspace
    .command('show')
    .description('show the conversations and how far each is, and the summary that runs are given')
    .action(action(() => import('./commands/workspace-show.ts')));
  workspace
    .command('generate')
    .summary('distil what is new')
    .description('Distils what is new, by the model of OPENAI_MODEL, with the key in OPENAI_API_KEY. It costs tokens.')
    .addOption(new Option('--max-tokens <count>', 'spend no more').argParser(wholeNumber(Number.MAX_SAFE_INTEGER)))
    .action(action(() => import('./commands/workspace-generate.ts')));
  workspace
    .command('forget')
    .description('remove conversations, and what rests on them alone')
    .argument('<id...>', 'their ids, as workspace show shows them')
    .action(action(() => import('./commands/workspace-forget.ts')));

  program
    .command('export')
    .description('write all memories of the namespace as JSONL, which import reads')
    .action(action(() => import('./commands/export.ts')));

  program
    .command('export-user')
    .description(
      'write all that there is of a user as JSONL: memories of all agents, what they have shared, conversations',
    )
    .argument('<id>', 'the id of the user')
    .option('--service', 'it is the id of a service')
    .option('--tenant <tenant>', 'the conversations of a tenant of the store')
    .action(action(() => import('./commands/export-user.ts')));

  program
    .command('erase-user')
    .description('remove all that there is of a user: memories of all agents, and conversations')
    .argument('<id>', 'the id of the user')
    .option('--dry-run', 'count, and remove nothing')
    .option('--shared', 'also what they have written in pools and teams')
    .option('--service', 'it is the id of a service')
    .option('--tenant <tenant>', 'the conversations of a tenant of the store')
    .action(action(() => import('./commands/erase-user.ts')));

  program
    .command('doctor')
    .description('check the files of the directory')
    .option('--mend', 'mend what can be mended')
    .action(action(() => import('./commands/doctor.ts')));

  return program;
}

function kind(what: string): Option {
  return new Option('-k, --kind <kind>', what).choices(['agent', 'team', 'workflow']);
}

function limit(what: string, byDefault: number): Option {
  return new Option('-l, --limit <count>', what).default(byDefault).argParser(wholeNumber(1_000));
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It is to be a whole number from 1 to ${max}.`);
  };
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
