import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A process of an example's chat server, which prints its URL. It ends with the test. */
export class ChatServer {
  readonly #process: ChildProcess;
  readonly url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** @param env - What the server gets besides the variables of this process. */
  static async start(program: string, env: NodeJS.ProcessEnv): Promise<ChatServer> {
    const child = spawn(process.execPath, ['--conditions=@keepsake/source', '--no-warnings', program], {
      env: { ...process.env, PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = await once(createInterface(child.stdout as Readable), 'line');
    return new ChatServer(child, url);
  }

  post(user: string, chat: string, body: string): Promise<Response> {
    return fetch(`${this.url}/${user}/${chat}`, { method: 'POST', body });
  }

  /** The answer to a message. */
  async say(user: string, chat: string, body: string): Promise<string> {
    const response = await this.post(user, chat, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    return text;
  }

  /** Returns the exit code. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const ended = once(this.#process, 'exit');
    this.#process.kill(signal);
    const [exitCode] = await ended;
    return exitCode;
  }
}
