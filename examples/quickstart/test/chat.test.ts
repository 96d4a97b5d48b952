import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { chatHere, demo, Piped, Terminal } from './demo.ts';
import { respond, say, startModelServer } from './model-server.ts';

const directory = useDirectory();

/** The stored memories, oldest first. */
async function remembered(place = '.keepsake'): Promise<string[]> {
  const store = new FileStore({ directory: join(directory.path, place), name: 'chats', namespace: ['demo', 'chats'] });
  return (await store.list({ order: 'oldest' })).items.map(({ content }) => content);
}

/** The messages of each conversation, newest conversation first. */
async function conversations(): Promise<unknown[][]> {
  const sessions = new FileSessionStore({ directory: join(directory.path, '.keepsake') });
  const { items } = await sessions.list();
  return Promise.all(items.map(async ({ sessionId }) => (await sessions.open(sessionId)).getItems()));
}

/** The lines of the answer to a message. */
function answersTo(line: string, stdout: string): string[] {
  const [, after = ''] = stdout.split(`> ${line}\n`);
  return (after.split(/^(?:> |process )/m)[0] ?? '').trimEnd().split('\n');
}

/** Removes the parts of the output that differ between runs. */
function timeless(text: string): string {
  return text.replaceAll(/process \d+/g, 'process N').replaceAll(/\d+ \w+ \d{4}, \d\d:\d\d/g, 'TIME');
}

describe('the chat without a model', () => {
  it('learns in one process and recalls in another', { tags: ['nightly'] }, async () => {
    const first = await demo(directory.path, ['I have moved to Lisbon.', 'My sister Ada plays the cello.']);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain('It knows nothing yet');
    expect(answersTo('I have moved to Lisbon.', first.stdout)).toEqual(["I'll remember that."]);

    const second = await demo(directory.path, ['Which instrument does Ada play?', 'What is the capital of France?']);
    expect(second).toMatchObject({ status: 0, stderr: '' });
    expect(second.stdout).not.toContain('It knows nothing yet');
    expect(answersTo('Which instrument does Ada play?', second.stdout)).toEqual([
      'This comes closest:',
      expect.stringMatching(/^ {2}\d+ \w+ \d{4}, \d\d:\d\d, you said: My sister Ada plays the cello\.$/),
    ]);
    expect(answersTo('What is the capital of France?', second.stdout)).toEqual(['I have nothing about that yet.']);
    expect(await conversations()).toHaveLength(2);
  });

  it('recalls a statement in the next line', async () => {
    const { stdout } = await chatHere(directory.path, ['The key is under the fern.', 'where is the key']);
    expect(answersTo('where is the key', stdout)[1]).toContain('you said: The key is under the fern.');
  });

  it('never answers a question with a question that was asked', async () => {
    const lines = ['Where is the blue key?', 'tell me where the blue key is', 'where is the blue key'];
    for (const { stdout } of [await chatHere(directory.path, lines), await chatHere(directory.path, lines)]) {
      for (const line of lines) expect(answersTo(line, stdout)).toEqual(['I have nothing about that yet.']);
    }
    expect(await remembered()).toEqual([]);
    expect((await conversations()).map((items) => items.length)).toEqual([6, 6]);
  });

  it('learns the statements of a line and answers its questions', async () => {
    const line = 'The fern is in the hall. Where is the key? When I was a child it was outside.';
    const { stdout } = await chatHere(directory.path, ['Hello!', line, '', '   ']);
    expect(answersTo('Hello!', stdout)).toEqual([expect.stringMatching(/^Tell me something/)]);
    expect(answersTo(line, stdout)).toEqual(["I'll remember that.", 'I have nothing about that yet.']);
    expect(await remembered()).toEqual(['The fern is in the hall. When I was a child it was outside.']);
  });

  it('shows what was recalled and injected', async () => {
    const showMemory = true;
    const lines = ['The key is <under> the fern.', 'Where is the key?'];
    const told = await chatHere(directory.path, lines, { showMemory });
    expect(answersTo('The key is <under> the fern.', told.stdout).slice(0, 4)).toEqual([
      'recalled:',
      '  nothing',
      'injected:',
      '  nothing',
    ]);
    // In the same conversation, the model sees the message already.
    expect(answersTo('Where is the key?', told.stdout).slice(2, 4)).toEqual(['injected:', '  nothing']);
    const asked = await chatHere(directory.path, ['Where is the key?'], { showMemory });
    expect(answersTo('Where is the key?', asked.stdout).slice(0, 6)).toEqual([
      'recalled:',
      expect.stringMatching(/^ {2}\d+\.\d {2}.* {2}The key is <under> the fern\.$/),
      'injected:',
      '  <memory>',
      expect.stringMatching(/^ {2}<entry source="chats" date="[\d-]+">The key is &lt;under&gt; the fern\.<\/entry>$/),
      '  </memory>',
    ]);
    expect((await chatHere(directory.path, lines)).stdout).not.toContain('<memory>');
  });

  it('answers a question that refers back with memories about the topic of the conversation', async () => {
    await chatHere(directory.path, ['My brother Oskar repairs bicycles in Bergen.']);
    const lines = ['Where does my brother Oskar repair bicycles?', 'And why him?'];
    const { stdout } = await chatHere(directory.path, lines, { showMemory: true });
    const shown = answersTo('And why him?', stdout);
    expect(shown[1]).toContain('Oskar repairs bicycles');
    // The previous answer contains it already.
    expect(shown.join()).not.toContain('<entry');
    expect(shown.at(-1)).toContain('you said: My brother Oskar repairs bicycles');
  });

  it('loses nothing that it has answered if it is killed', async () => {
    const running = new Piped(directory.path, []);
    for (const number of [1, 2, 3]) {
      running.input.write(`Locker ${number} is mine.\n`);
      await running.shows(new RegExp(`> Locker ${number} is mine\\.\nI'll remember that\\.`));
    }
    running.kill('SIGKILL');
    expect(await running.end).toMatchObject({ signal: 'SIGKILL' });
    expect(await remembered()).toEqual(['Locker 1 is mine.', 'Locker 2 is mine.', 'Locker 3 is mine.']);
    expect(await conversations()).toEqual([expect.objectContaining({ length: 6 })]);
    expect((await chatHere(directory.path, ['Which locker is mine?'])).stdout).toContain('you said: Locker 2 is mine.');
  });

  it('ends cleanly on SIGINT', { tags: ['nightly'] }, () => endsCleanlyOn('SIGINT'));

  it('ends cleanly on SIGTERM', { tags: ['nightly'] }, () => endsCleanlyOn('SIGTERM'));

  async function endsCleanlyOn(signal: NodeJS.Signals): Promise<void> {
    const running = new Piped(directory.path, []);
    running.input.write('The key is under the fern.\n');
    await running.shows(/remember that/);
    running.kill(signal);
    expect(await running.end).toMatchObject({ status: 0, stdout: expect.stringContaining('ends here'), stderr: '' });
    expect(await remembered()).toEqual(['The key is under the fern.']);
  }

  it('reports what is wrong with an unusable directory', async () => {
    writeFileSync(join(directory.path, 'a-file'), '');
    const { status, stderr } = await demo(directory.path, ['Hello!'], { args: ['--directory', 'a-file'] });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^Part of the path to the directory is a file\..*\n$/);
  });
});

describe('the chat without input', () => {
  it('plays a new conversation in two processes each time, separate from the data of the user', {
    tags: ['nightly'],
  }, async () => {
    await demo(directory.path, ['The key is under the fern.']);
    for (const { status, stdout, stderr } of [await demo(directory.path, []), await demo(directory.path, [])]) {
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(new Set(stdout.match(/process \d+ begins/g)).size).toBe(2);
      expect(stdout.match(/It knows nothing yet/g)).toHaveLength(1);
      expect(answersTo('Where did I leave my bike?', stdout)[1]).toContain('behind the bakery');
      expect(answersTo('What is the name of my dog?', stdout)).toEqual(['I have nothing about that yet.']);
    }
    expect(await remembered()).toEqual(['The key is under the fern.']);
    expect(readdirSync(join(directory.path, '.keepsake'))).toContain('demo');
  });

  it('plays a conversation in two processes, apart from the data of the user, and prints the output in the README', async () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, shown = ''] = /```\n(process [\s\S]*?)```/.exec(readme) ?? [];
    await chatHere(directory.path, ['The key is under the fern.']);
    const { status, stdout, stderr } = await demo(directory.path, []);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(new Set(stdout.match(/process \d+ begins/g)).size).toBe(2);
    // The data of the user stays apart.
    expect(await remembered()).toEqual(['The key is under the fern.']);
    expect(readdirSync(join(directory.path, '.keepsake'))).toContain('demo');
    expect(timeless(stdout)).toBe(
      timeless(shown.replaceAll('in .keepsake.', 'in .keepsake/demo.').replace('\n\n', '\n')),
    );
  });

  it('leaves a directory of the user alone', { tags: ['nightly'] }, async () => {
    await demo(directory.path, ['The key is under the fern.'], { args: ['--directory', 'mine'] });
    const { status, stdout } = await demo(directory.path, [], { args: ['--directory', 'mine'] });
    expect(status).toBe(0);
    expect(stdout).toContain('mine stays unchanged');
    expect(stdout).toContain('behind the bakery');
    expect(await remembered('mine')).toEqual(['The key is under the fern.']);
    expect(await remembered('.keepsake/demo')).toHaveLength(2);
  });

  it('plays without a model if the parent process sends no input', { tags: ['nightly'] }, async () => {
    const server = await startModelServer((_, response) => say(response, 'Hello!'));
    const running = new Piped(directory.path, ['--show-memory'], server.env);
    expect(await running.end).toMatchObject({ status: 0, stdout: expect.stringContaining('<memory>') });
    expect(server.requests).toEqual([]);
  });

  it('waits for a slow pipe', { tags: ['nightly'] }, async () => {
    const running = new Piped(directory.path, ['--directory', 'mine'], {}, ['sh', '-c', 'cat | "$@"', 'sh']);
    await running.complains(/Waiting for lines/);
    running.input.end('The key is under the fern.\n');
    const { status, stdout } = await running.end;
    expect(status).toBe(0);
    expect(answersTo('The key is under the fern.', stdout)).toEqual(["I'll remember that."]);
    expect(await remembered('mine')).toEqual(['The key is under the fern.']);
    expect(readdirSync(directory.path)).toEqual(['mine']);
  });
});

describe('the chat with a model', () => {
  it('sends it the conversation with memories of earlier processes', async () => {
    const server = await startModelServer(({ body }, response) => {
      const { content = '' } = body.messages.at(-1) ?? {};
      const count = body.messages.length - 1;
      say(response, content.includes('Lisbon</entry>') ? 'You live in Lisbon.' : `Tell me more, ${count}.`);
    });
    const { env } = server;
    const first = await chatHere(
      directory.path,
      ['My home is in Lisbon', 'My sister plays the cello in a large orchestra.'],
      {
        env,
      },
    );
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain('answered by tiny');
    expect(answersTo('My sister plays the cello in a large orchestra.', first.stdout)).toEqual(['Tell me more, 3.']);
    const second = await chatHere(directory.path, ['Where is my home?'], { env, showMemory: true });
    expect(answersTo('Where is my home?', second.stdout).at(-1)).toBe('You live in Lisbon.');

    expect(server.requests).toHaveLength(3);
    const [, sister, home] = server.requests;
    expect(sister).toMatchObject({
      url: '/v1/chat/completions',
      authorization: 'Bearer test-key',
      body: { model: 'tiny' },
    });
    // The earlier messages are unchanged, with nothing injected.
    expect(sister?.body.messages.slice(0, 3)).toEqual([
      { role: 'system', content: expect.stringContaining('<memory>') },
      { role: 'user', content: 'My home is in Lisbon' },
      { role: 'assistant', content: 'Tell me more, 1.' },
    ]);
    expect(home?.body.messages).toHaveLength(2);
    expect(home?.body.messages[1]?.content).toMatch(
      /^Where is my home\?\n\n<memory>\n.*Lisbon<\/entry>\n[\s\S]*<\/memory>$/,
    );
    // Memories that the model merely repeated are not stored again.
    expect(await remembered()).toEqual([
      'My home is in Lisbon',
      'Tell me more, 1.',
      'My sister plays the cello in a large orchestra.',
      'Tell me more, 3.',
      'You live in Lisbon.',
    ]);
  });

  it('needs no key with --model, and sends none', async () => {
    const server = await startModelServer((_, response) => say(response, 'You live in Lisbon.'));
    const args = ['--model', server.env.OPENAI_BASE_URL, '--model-name', 'small'];
    const { stdout, stderr } = await demo(directory.path, ['Where do I live?'], { args });
    expect(stderr).toBe('');
    expect(stdout).toContain('answered by small');
    expect(answersTo('Where do I live?', stdout)).toEqual(['You live in Lisbon.']);
    expect(server.requests).toMatchObject([{ authorization: undefined, body: { model: 'small' } }]);
  });

  it.each(['olama', 'ftp://127.0.0.1'])('refuses %s as a model, and says what can be one', async (server) => {
    await expect(chatHere(directory.path, ['Hello'], { model: { server } })).rejects.toThrow(
      `The model must be "ollama" or a URL such as https://api.openai.com/v1, not "${server}".`,
    );
  });

  it('reports why there is no answer, continues, and keeps the message', async () => {
    const server = await startModelServer(({ body }, response) => {
      const { content = '' } = body.messages.at(-1) ?? {};
      if (content.startsWith('First')) respond(response, 429, { error: { message: 'Slow down.' } });
      else if (content.startsWith('Second')) respond(response, 200, { choices: [] });
      else if (content.startsWith('Third')) response.writeHead(502).end('<html>');
      else say(response, 'Here I am.');
    });
    const lines = ['First things first.', 'Second is next.', 'Third it is.', 'Anything else?'];
    const { status, stdout, stderr } = await chatHere(directory.path, lines, {
      env: { ...server.env, OPENAI_BASE_URL: `${server.env.OPENAI_BASE_URL}/` },
    });
    expect(status).toBe(1);
    expect(stderr.split('\n')).toEqual([
      'No answer: 429 Slow down.',
      'No answer: the model said nothing',
      'No answer: 502 Bad Gateway',
      '',
    ]);
    expect(answersTo('Anything else?', stdout)).toEqual(['Here I am.']);
    expect(await remembered()).toEqual([...lines.slice(0, 3), 'Here I am.']);
  });

  it('reports that the model cannot be reached', async () => {
    const server = await startModelServer(() => {});
    await server.close();
    const { status, stderr } = await chatHere(directory.path, ['The key is under the fern.'], { env: server.env });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^No answer: the model can't be reached \(.*ECONNREFUSED.*\)\n$/);
    expect(await remembered()).toEqual(['The key is under the fern.']);
  });

  it('can be interrupted during an answer', async () => {
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const server = await startModelServer(() => isAsked());
    const running = new Piped(directory.path, [], server.env);
    running.input.write('The key is under the fern.\nWhere is it?\n');
    await asked;
    running.kill('SIGINT');
    expect(await running.end).toMatchObject({ status: 0, stdout: expect.stringContaining('ends here'), stderr: '' });
    expect(server.requests).toHaveLength(1);
    expect(await remembered()).toEqual(['The key is under the fern.']);
  });
});

describe('the chat in a terminal', () => {
  it('asks for the next line until Ctrl-C, and recalls it next time', async () => {
    await chatsUntil('\u0003');
    const { stdout } = await chatHere(directory.path, ['Where is the key?']);
    expect(stdout).toContain('you said: The key is under the fern.');
  });

  it('asks for the next line until Ctrl-D, and recalls it in a terminal', { tags: ['nightly'] }, async () => {
    await chatsUntil('\u0004');
    const second = new Terminal(directory.path, []);
    await second.shows(/> /);
    second.type('Where is the key?\r');
    await second.shows(/you said: The key is under the fern\.\r\n[\s\S]*> /);
    second.type('\u0004');
    expect(await second.end).toBe(0);
  });

  async function chatsUntil(key: string): Promise<void> {
    const terminal = new Terminal(directory.path, []);
    await terminal.shows(/> /);
    terminal.type('The key is under the fern.\r');
    await terminal.shows(/remember that\.\r\n[\s\S]*> /);
    terminal.type(key);
    expect(await terminal.end).toBe(0);
    expect(terminal.text).toContain('ends here');
  }

  it('ends on Ctrl-C during an answer', { tags: ['nightly'] }, async () => {
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const server = await startModelServer(() => isAsked());
    const terminal = new Terminal(directory.path, [], server.env);
    await terminal.shows(/> /);
    terminal.type('The key is under the fern.\r');
    await asked;
    terminal.type('\u0003');
    expect(await terminal.end).toBe(0);
    expect(await remembered()).toEqual(['The key is under the fern.']);
  });
});
