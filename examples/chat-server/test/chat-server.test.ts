import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { useDirectory } from '@keepsake/testing';
import { expect, it, onTestFinished } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../src/server.ts');
const directory = useDirectory();

/** A process of the server. */
class Server {
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.#url = url;
  }

  static async start(): Promise<Server> {
    const child = spawn(process.execPath, ['--conditions=@keepsake/source', '--no-warnings', PROGRAM], {
      env: { ...process.env, MEMORY_FILE: join(directory.path, 'memory.db'), PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = await once(createInterface(child.stdout as Readable), 'line');
    return new Server(child, url);
  }

  post(user: string, chat: string, body: string): Promise<Response> {
    return fetch(`${this.#url}/${user}/${chat}`, { method: 'POST', body });
  }

  async say(user: string, chat: string, body: string): Promise<string> {
    const response = await this.post(user, chat, body);
    expect(response.status).toBe(200);
    return response.text();
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const ended = once(this.#process, 'exit');
    this.#process.kill(signal);
    const [exitCode] = await ended;
    return exitCode;
  }
}

it('an empty message is refused and not kept', async () => {
  const server = await Server.start();
  for (const body of ['', ' \n']) {
    const response = await server.post('alice', 'monday', body);
    expect([response.status, await response.text()]).toEqual([400, 'Send a message as the body.']);
  }
  expect(await server.say('alice', 'monday', 'Hello')).toBe('I read: Hello');
});

it('two processes know what each was told, of that user alone, and a killed one loses nothing', async () => {
  const [one, two] = await Promise.all([Server.start(), Server.start()]);
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
  const three = await Server.start();
  for (const place of places) {
    const read = () => two.say('carol', `asks ${place}`, `Did I live in ${place}?`);
    await expect.poll(read).toContain(`>I have lived in ${place}.`);
  }
  expect(await Promise.all([two.end('SIGTERM'), three.end('SIGTERM')])).toEqual([0, 0]);
});
