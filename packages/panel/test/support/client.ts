import type { Panel } from '../../src/index.ts';
import { CSRF_HEADER, PATHS, type Status } from '../../src/protocol.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What the page does, without a browser. */
export class Client {
  readonly #panel: Panel;
  #csrfToken: string | undefined;

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  /** The answer to a read. Throws unless it succeeded. */
  async get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return expectOk(await this.fetchGet(path, query)) as Promise<Answer>;
  }

  /** The answer to a change. Throws unless it succeeded. */
  async post<Answer>(path: string, body: object): Promise<Answer> {
    return expectOk(await this.fetchPost(path, body)) as Promise<Answer>;
  }

  fetchGet(path: string, query: Query = {}): Promise<Response> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    return this.#panel.fetch(new Request(`http://localhost/${path}?${search}`));
  }

  async fetchPost(path: string, body: object): Promise<Response> {
    this.#csrfToken ??= (await this.get<Status>(PATHS.status)).csrfToken ?? 'none';
    const headers = { 'content-type': 'application/json', [CSRF_HEADER]: this.#csrfToken };
    return this.#panel.fetch(
      new Request(`http://localhost/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    );
  }
}

async function expectOk(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw new Error(`${response.status}: ${await response.text()}`);
}
