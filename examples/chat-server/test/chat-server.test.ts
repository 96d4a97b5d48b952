import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { ChatServer } from '@keepsake/testing/chat-server';
import { expect, it } from 'vitest';

const directory = useDirectory();
const start = () =>
  ChatServer.start(join(import.meta.dirname, '../src/server.ts'), { MEMORY_FILE: join(directory.path, 'memory.db') });

it('an empty message is refused and not kept', async () => {
  const server = await start();
  for (const body of ['', ' \n']) {
    const response = await server.post('alice', 'monday', body);
    expect([response.status, await response.text()]).toEqual([400, 'Send a message as the body.']);
  }
  expect(await server.say('alice', 'monday', 'Hello')).toBe('I read: Hello');
});

it('two processes know what each was told, of that user alone, and a killed one loses nothing', async () => {
  const [one, two] = await Promise.all([start(), start()]);
  await one.say('alice', 'monday', 'I am allergic to saffron.');
  await two.say('bob', 'monday', 'I am allergic to pollen.');
  await expect.poll(() => two.say('alice', 'friday', 'What am I allergic to?')).toContain('to saffron');
  const asked = await one.say('bob', 'friday', 'What am I allergic to?');
  expect(asked).toContain('to pollen');
  expect(asked).not.toContain('saffron');
  expect(await two.say('alice', 'monday', 'And then?')).toContain('I am allergic to saffron.');

  const places = ['Tromsø', 'Bergen', 'Oslo', 'Lisbon'];
  await Promise.all(places.map((place) => one.say('carol', place, `I have lived in ${place}.`)));
  await one.end('SIGKILL');
  const three = await start();
  for (const place of places) {
    const read = () => two.say('carol', `asks ${place}`, `Did I live in ${place}?`);
    await expect.poll(read).toContain(`>I have lived in ${place}.`);
  }
  expect(await Promise.all([two.end('SIGTERM'), three.end('SIGTERM')])).toEqual([0, 0]);
});
