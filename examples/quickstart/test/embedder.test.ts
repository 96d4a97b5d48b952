import { useDirectory } from '@keepsake/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { chatHere, demo } from './demo.ts';
import { respond, startModelServer } from './model-server.ts';

const directory = useDirectory();

/** A server of the Embeddings API that knows one thing: that a feline is a cat. */
function startEmbeddings() {
  return startModelServer(({ body }, response) => {
    const data = (body as unknown as { input: string[] }).input.map((text, index) => ({
      index,
      embedding: /feline|cat/i.test(text) ? [1, 0, 0.1] : [0, 1, 0.1],
    }));
    respond(response, 200, { object: 'list', model: body.model, data: data.reverse() });
  });
}

it('with an embedder, the chat finds a memory that shares no word with the question', async () => {
  const { env, requests } = await startEmbeddings();
  const args = ['--embedder', env.OPENAI_BASE_URL, '--embedding-model', 'tiny-embed'];
  const facts = ['My cat sleeps in the hall.', 'The key is under the fern.'];
  expect((await demo(directory.path, facts, { args, env: { OPENAI_API_KEY: '' } })).stderr).toBe('');
  const embedder = { server: env.OPENAI_BASE_URL, model: 'tiny-embed', apiKey: undefined };
  const { stdout } = await chatHere(directory.path, ['Any felines around?'], { embedder });
  expect(stdout).toMatch(/This comes closest:\n.*My cat sleeps in the hall\./);
  expect(requests[0]).toMatchObject({ url: '/v1/embeddings', body: { model: 'tiny-embed', input: ['word'] } });

  const without = await chatHere(directory.path, ['Any felines around?']);
  expect(without.stdout).toContain('I have nothing about that yet.');
});

it('memories of a chat without an embedder are found once there is one', async () => {
  const { env } = await startEmbeddings();
  await chatHere(directory.path, ['My cat sleeps in the hall.']);
  const embedder = { server: env.OPENAI_BASE_URL, model: undefined, apiKey: undefined };
  const { stdout, stderr } = await chatHere(directory.path, ['Where is my cat?'], { embedder });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/This comes closest:\n.*My cat sleeps in the hall\./);
});

it.each([
  ['olama', /must be "ollama" or a URL/],
  [
    'http://127.0.0.1:9/v1',
    /embedder at http:\/\/127\.0\.0\.1:9\/v1\/embeddings can't be reached \(.+\)\. Start it, or correct its URL\.$/,
  ],
])('the embedder %s is refused at once, with the reason', async (server, message) => {
  const embedder = { server, model: undefined, apiKey: undefined };
  await expect(chatHere(directory.path, ['Hello'], { embedder })).rejects.toThrow(message);
});

it.each([
  [
    'that does not run',
    () => Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })),
    /can't be reached \(connect ECONNREFUSED\)\. Start Ollama: ollama serve$/,
  ],
  [
    'at none of the addresses of its host',
    () =>
      Promise.reject(
        new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
      ),
    /can't be reached \(ECONNREFUSED\)\. Start Ollama: ollama serve$/,
  ],
  [
    'without the model',
    async () => Response.json({ error: { message: 'model "tiny-embed" not found' } }, { status: 404 }),
    /answered 404: model "tiny-embed" not found\. Get the model: ollama pull tiny-embed$/,
  ],
])('an Ollama %s is refused with the command that helps', async (_, answer, message) => {
  const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(answer);
  onTestFinished(() => fetch.mockRestore());
  const embedder = { server: 'ollama', model: 'tiny-embed' };
  await expect(chatHere(directory.path, ['Hello'], { embedder })).rejects.toThrow(message);
  expect(fetch.mock.calls[0]?.[0]).toBe('http://127.0.0.1:11434/v1/embeddings');
});

it('an unknown model is reported with the answer of the server', async () => {
  const { env } = await startModelServer((_, response) =>
    respond(response, 404, { error: { message: 'no such model' } }),
  );
  const { status, stderr } = await demo(directory.path, ['Hello'], { args: ['--embedder', env.OPENAI_BASE_URL] });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/answered 404: no such model\. Choose another with --embedding-model\.$/m),
  });
});
