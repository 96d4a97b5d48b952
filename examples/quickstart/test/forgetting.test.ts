import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSession, FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { chatHere } from './demo.ts';
import { say, startModelServer } from './model-server.ts';

const directory = useDirectory();
const BIKE = 'My bike is behind the bakery.';
const CAT = 'My cat sleeps in the hall.';

/** The texts in all files of the chat. */
function filesContent(): string {
  return readdirSync(directory.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n');
}

/** The stored memories, oldest first. */
async function remembered(): Promise<string[]> {
  const store = new FileStore({
    directory: join(directory.path, '.keepsake'),
    name: 'chats',
    namespace: ['demo', 'chats'],
  });
  return (await store.list({ order: 'oldest' })).items.map(({ content }) => content);
}

it('"forget about my bike" removes it from the memory, the conversations and the disk', async () => {
  await chatHere(directory.path, [BIKE, CAT, 'Where is my bike?']);
  const { stdout, stderr } = await chatHere(directory.path, [
    'Where is my bike?',
    'Please forget about my bike.',
    'Where is my bike?',
    'Where is my cat?',
  ]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/Forgot 1 memory:\n {2}.*, you said: My bike is behind the bakery\./);
  expect(stdout.split('Forgot 1 memory')[1]).toContain('I have nothing about that yet.');
  expect(stdout).toContain(`you said: ${CAT}`);
  expect(await remembered()).toEqual([CAT]);
  expect(filesContent()).toContain(CAT);
  expect(filesContent()).not.toContain('bakery');
});

it('a word that no memory has removes nothing and shows the closest', async () => {
  const { stdout } = await chatHere(directory.path, [BIKE, "forget about my bike's lock", 'forget about Ada']);
  expect(stdout).toMatch(/so I removed none. This comes closest:\n {2}.*My bike is behind the bakery\./);
  expect(stdout).toContain('I have nothing about that.');
  expect(await remembered()).toEqual([BIKE]);
});

it('"don\'t remember this" removes what was said last, and only that', async () => {
  const { stdout } = await chatHere(directory.path, [CAT, 'My PIN is 1234.', "don't remember this", 'Forget that.']);
  expect(stdout).toContain('Forgot what you said last: My PIN is 1234.');
  expect(stdout).toContain('You have said nothing yet.');
  expect(await remembered()).toEqual([CAT]);
  expect(filesContent()).not.toContain('1234');
});

it('what is said off the record is stored nowhere', async () => {
  await chatHere(directory.path, [
    "Don't remember this: my PIN is 1234.",
    'My PIN is 5678. Don’t remember that.',
    'My wifi password is hunter2, forget it',
    CAT,
  ]);
  expect(await remembered()).toEqual([CAT]);
  expect(filesContent()).not.toMatch(/1234|5678|hunter2/);
});

it('"delete everything" deletes the chat, and nothing else in the directory', async () => {
  const place = join(directory.path, '.keepsake');
  const other = new FileStore({ directory: place, name: 'facts', namespace: ['u', 'alice'] });
  await other.add('Alice likes tea.');
  const session = new FileSession({ directory: place, sessionId: 'chat-42' });
  await session.addItems([{ role: 'user', content: 'Hi' }]);
  await chatHere(directory.path, [BIKE]);

  const { stdout } = await chatHere(directory.path, [
    CAT,
    'Delete everything',
    'yes',
    'Where is my cat?',
    'I like tea.',
  ]);
  expect(stdout).toContain('Deleted 2 memories and 2 conversations.');
  expect(stdout.split('Deleted')[1]).toContain('I have nothing about that yet.');
  expect(await remembered()).toEqual(['I like tea.']);
  expect(filesContent()).not.toMatch(/bakery|cat sleeps/);
  expect(await session.getItems()).toHaveLength(1);
  expect(await other.list()).toMatchObject({ items: [{ content: 'Alice likes tea.' }] });
});

it('a model sees nothing that was forgotten', async () => {
  const server = await startModelServer((_, response) => say(response, 'I see.'));
  await chatHere(directory.path, [BIKE]);
  await chatHere(directory.path, ['Where is my bike?', 'forget about my bike', 'And now?'], { env: server.env });
  const [before, after] = server.requests;
  expect(JSON.stringify(before?.body.messages)).toContain('bakery');
  const [, ...said] = after?.body.messages ?? [];
  expect(said.map(({ content }) => content)).toEqual(['Where is my bike?', 'I see.', 'And now?']);
});

it('help tells what can be said, and exit ends the chat', async () => {
  const { status, stdout } = await chatHere(directory.path, ['help', 'tell me a joke', 'thanks a lot', 'exit', CAT]);
  expect(status).toBe(0);
  expect(stdout).toContain('forget about my bike    removes');
  expect(stdout).toContain('only remember and recall');
  expect(stdout).toMatch(/> exit\nprocess \d+ ends here/);
  expect(await remembered()).toEqual([]);
});

it('of two facts that contradict each other, the newer comes first and is shown as the newer', async () => {
  await chatHere(directory.path, ['I live in Lisbon']);
  await chatHere(directory.path, ['I moved to Porto']);
  const { stdout } = await chatHere(directory.path, ['Where do I live?']);
  expect(stdout).toMatch(
    /closest:\n {2}\d.* you said: I moved to Porto\n {2}before that, \d.* you said: I live in Lisbon\n/,
  );
});
