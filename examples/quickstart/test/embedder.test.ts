import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { demo } from './demo.ts';
import { respond, startModelServer } from './model-server.ts';

const directory = useDirectory();

/** A server of the Embeddings API that knows one thing: that a feline is a cat. */
function startEmbeddings() {
  return startModelServer(({ body }, response) => {
    const data = (body.input as unknown as string[]).map((text, index) => ({
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
  const key = { OPENAI_API_KEY: '' };
  expect((await demo(directory.path, facts, { args, env: key })).stderr).toBe('');
  const { stdout } = await demo(directory.path, ['Any felines around?'], { args, env: key });
  expect(stdout).toMatch(/This comes closest:\n.*My cat sleeps in the hall\./);
  expect(requests[0]).toMatchObject({ url: '/v1/embeddings', body: { model: 'tiny-embed', input: ['word'] } });

  const without = await demo(directory.path, ['Any felines around?']);
  expect(without.stdout).toContain('I have nothing about that yet.');
});

it('memories of a chat without an embedder are found once there is one', async () => {
  const { env } = await startEmbeddings();
  await demo(directory.path, ['My cat sleeps in the hall.']);
  const args = ['--embedder', env.OPENAI_BASE_URL];
  const { stdout, stderr } = await demo(directory.path, ['Where is my cat?'], { args });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/This comes closest:\n.*My cat sleeps in the hall\./);
});

it.each([
  ['olama', /must be "ollama" or a URL/],
  ['http://127.0.0.1:9/v1', /embedder at http:\/\/127\.0\.0\.1:9\/v1\/embeddings can't be reached/],
])('--embedder %s fails at once and says why', async (embedder, message) => {
  const { status, stderr } = await demo(directory.path, ['Hello'], { args: ['--embedder', embedder] });
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});

it('an unknown model is reported with the answer of the server', async () => {
  const { env } = await startModelServer((_, response) =>
    respond(response, 404, { error: { message: 'no such model' } }),
  );
  const { status, stderr } = await demo(directory.path, ['Hello'], { args: ['--embedder', env.OPENAI_BASE_URL] });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/answered 404: no such model/) });
});
