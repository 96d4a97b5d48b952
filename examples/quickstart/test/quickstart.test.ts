import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileSession, FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { readConversation } from '../src/conversation.ts';
import { COMMAND, chatHere, environment } from './demo.ts';

const home = fileURLToPath(new URL('..', import.meta.url));
const conversation = readConversation(join(home, 'conversation.jsonl'));
const { questions } = JSON.parse(readFileSync(join(home, 'questions.json'), 'utf8')) as {
  questions: { question: string; answerTurns: number[] }[];
};

const directory = useDirectory();

function demo(...args: string[]) {
  const [node, ...rest] = COMMAND;
  return spawnSync(node, [...rest, ...args], { cwd: directory.path, env: environment(), encoding: 'utf8' });
}

describe('the demo with questions', () => {
  it('remembers a conversation in one process and recalls it in another, from scratch', {
    tags: ['nightly'],
  }, async () => {
    const own = new FileSession({ directory: join(directory.path, '.keepsake/demo'), sessionId: 'demo' });
    await own.addItems([{ role: 'user', content: 'An earlier demo.' }]);
    const asked = questions.slice(0, 4);
    const file = join(home, 'conversation.jsonl');
    const { stdout, status } = demo('--file', file, ...asked.flatMap(({ question }) => ['--ask', question]));
    expect(status).toBe(0);
    expect(new Set(stdout.match(/process \d+/g)).size).toBe(2);
    for (const { question, answerTurns } of asked) {
      const [, answers = ''] = stdout.split(`? ${question}\n`);
      const best = answers.split('\n')[0];
      expect(answerTurns.some((index) => best?.includes(conversation[index]?.text ?? '—'))).toBe(true);
      expect(best).toMatch(/\d+\.\d +2026-\d\d-\d\d/);
    }
    expect(stdout).not.toContain('<memory>');
    expect(readdirSync(directory.path)).toEqual(['.keepsake']);
    const session = new FileSession({ directory: join(directory.path, '.keepsake/demo'), sessionId: 'demo' });
    expect(await session.getItems()).toHaveLength(conversation.length + 1);
  });

  it('without a file answers from what the chat remembers, and not from a sample', async () => {
    await chatHere(directory.path, ['My bike is behind the bakery.']);
    const { stdout, status } = demo('--ask', 'Where is my bike?', '--ask', 'What is Finlay allergic to?');
    expect(status).toBe(0);
    expect(stdout).toMatch(/> Where is my bike\?\nThis comes closest:\n.*My bike is behind the bakery\./);
    expect(stdout).toMatch(/> What is Finlay allergic to\?\nI have nothing about that yet\./);
  });

  it('exits quietly if the reader closes the pipe', { tags: ['nightly'] }, () => {
    const script = `"$@" --file ${join(home, 'conversation.jsonl')} --ask "Which day?" | head -n 1`;
    const shell = spawnSync('sh', ['-c', script, 'sh', ...COMMAND], {
      cwd: directory.path,
      env: environment(),
      encoding: 'utf8',
    });
    expect(shell.stdout).toContain('remembered');
    expect(shell.stderr).toBe('');
  });

  it('answers the question of the README about a file, in a directory of the user, and shows what a model would get to see', async () => {
    const readme = readFileSync(join(home, 'README.md'), 'utf8');
    const [, path = '', question = ''] = /npm run demo -- --file (\S+) --ask "(.*?)"/.exec(readme) ?? [];
    const file = join(home, '../..', path);
    const { status, stdout } = demo('--file', file, '--ask', question, '--show-memory', '--directory', 'mine');
    expect(status).toBe(0);
    expect(stdout).toContain('Finlay is allergic to hazelnuts');
    expect(new Set(stdout.match(/process \d+/g)).size).toBe(2);
    expect(stdout).toMatch(/injected:\n {2}<memory>\n {2}<entry .*hazelnuts[^<]*<\/entry>\n[\s\S]*? {2}<\/memory>\n/);
    // Remembering it again changes nothing.
    const again = [COMMAND[1], join(home, 'src/remember.ts'), 'mine', file];
    expect(spawnSync(COMMAND[0], again, { cwd: directory.path, env: environment() }).status).toBe(0);
    expect(await memoriesIn('mine')).toBe(conversation.length);
  });

  it('accepts a file, questions and a directory of the user', { tags: ['nightly'] }, async () => {
    const lines = [
      { role: 'user', content: 'My locker number is 4711.', createdAt: '2026-01-02T03:04:05.000Z' },
      { role: 'assistant', content: 'Noted.', createdAt: '2026-01-02T03:05:05.000Z' },
    ];
    writeFileSync(join(directory.path, 'talk.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
    for (let time = 0; time < 2; time++) {
      const { stdout, status } = demo('--file', 'talk.jsonl', '--ask', 'Which locker?', '--directory', 'mine');
      expect(status).toBe(0);
      expect(stdout).toMatch(/2026-01-02 {2}user: My locker number is 4711/);
      expect(await memoriesIn('mine')).toBe(2);
    }
  });

  async function memoriesIn(place: string): Promise<number> {
    const memory = new FileStore({ directory: join(directory.path, place), name: 'demo', namespace: ['demo'] });
    return (await memory.list({ limit: 1_000 })).items.length;
  }

  it('reads LoCoMo files', () => {
    const file = join(directory.path, 'locomo.json');
    const turns = [
      { speaker: 'Ann', dia_id: 'D1:1', text: 'Look at my kayak!', blip_caption: 'a red kayak' },
      { speaker: 'Ben', dia_id: 'D1:2', text: 'Lovely.' },
    ];
    writeFileSync(
      file,
      JSON.stringify({ speaker_a: 'Ann', session_1_date_time: '4:04 pm on 20 January, 2023', session_1: turns }),
    );
    expect(readConversation(file)).toEqual([
      {
        role: 'user',
        speaker: 'Ann',
        text: 'Look at my kayak! [shares a photo: a red kayak]',
        saidAt: '2023-01-20T16:04:00.000Z',
      },
      { role: 'assistant', speaker: 'Ben', text: 'Lovely.', saidAt: '2023-01-20T16:05:00.000Z' },
    ]);
  });

  it('reports invalid arguments', () => {
    expect(demo('--file', 'nowhere.jsonl', '--ask', 'x')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('File not found'),
    });
    expect(demo('--loud')).toMatchObject({ status: 2, stderr: expect.stringContaining('--ask QUESTION') });
  });

  it('reports an unusable directory', { tags: ['nightly'] }, () => {
    writeFileSync(join(directory.path, 'a-file'), '');
    expect(demo('--file', join(home, 'conversation.jsonl'), '--ask', 'x', '--directory', 'a-file')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^Part of the path to the directory is a file\..*\n$/),
    });
  });

  const line = { role: 'user', content: 'a', createdAt: '2026-01-01T00:00:00Z' };
  it.each([
    ['list.json', '[1]', 'session_1'],
    ['bad.jsonl', `${JSON.stringify(line)}\n{"role":"user"}`, 'line 2 is not'],
    ['time.jsonl', JSON.stringify({ ...line, createdAt: 'yesterday' }), 'createdAt of line 1 is not a time'],
    ['empty.jsonl', '\n', 'it has no lines'],
  ])('says what is wrong with %s', (file, text, complaint) => {
    writeFileSync(join(directory.path, file), text);
    expect(() => readConversation(join(directory.path, file))).toThrow(complaint);
  });

  it('reports what is wrong with a file, and creates none', () => {
    writeFileSync(join(directory.path, 'bad.jsonl'), '{"role":"user"}');
    const { status, stderr } = demo('--file', 'bad.jsonl', '--ask', 'x');
    expect([status, stderr.split('\n')]).toEqual([
      2,
      [expect.stringMatching(/^bad\.jsonl cannot be read as a conversation: line 1 is not/), ''],
    ]);
    expect(readdirSync(directory.path)).toEqual(['bad.jsonl']);
  });

  it('asks for a question', { tags: ['nightly'] }, () => {
    writeFileSync(join(directory.path, 'list.json'), '[1]');
    expect(demo('--file', 'list.json')).toMatchObject({ status: 2, stderr: expect.stringContaining('--ask') });
  });
});

describe('its questions', () => {
  it.each(questions)('$question has an answer among the first three results', async ({ question, answerTurns }) => {
    const memory = new FileStore({ directory: directory.path, name: 'demo', durability: 'os' });
    await memory.putMany(
      conversation.map(({ speaker, text }, index) => ({ id: String(index), content: `${speaker}: ${text}` })),
    );
    const found = (await memory.search(question, { maxSearchResults: 3 })).map(({ id }) => Number(id));
    expect(found.some((id) => answerTurns.includes(id))).toBe(true);
  });
});
