import { addToStrands, openStrandsStore } from '../engines/strands.ts';
import { importPeer } from '../peers.ts';
import { appendedTo, type Injector } from './injector.ts';

interface Message {
  readonly content: readonly { readonly text: string }[];
}

interface Context {
  readonly agent: object;
  readonly messages: readonly Message[];
}

/** Runs the steps of an agent before its model call. */
type Middleware = (context: Context) => Promise<Context>;

interface Sdk {
  readonly MemoryManager: new (options: {
    readonly stores: readonly object[];
  }) => {
    initAgent(agent: { addMiddleware(stage: unknown, middleware: Middleware): void }): Promise<void>;
  };
  readonly Message: new (data: { readonly role: string; readonly content: readonly object[] }) => Message;
  readonly TextBlock: new (text: string) => object;
}

/** Strands' manager and store with default options, in an agent that only has middleware. */
export const strands: Injector = {
  name: 'Strands MemoryManager, FileMemoryStore',
  note: 'has no token limit: it injects up to 5 entries without shortening them',
  async open(entries, { directory }) {
    const { MemoryManager, Message, TextBlock }: Sdk = await importPeer('@strands-agents/sdk');
    const store = await openStrandsStore(directory);
    await addToStrands(store, entries);
    let injection: Middleware | undefined;
    await new MemoryManager({ stores: [store] }).initAgent({
      addMiddleware(_stage, middleware) {
        injection = middleware;
      },
    });
    return {
      async blockFor(question) {
        const asked = new Message({ role: 'user', content: [new TextBlock(question)] });
        const context = await injection?.({ agent: {}, messages: [asked] });
        const texts = context?.messages[0]?.content.map(({ text }) => text) ?? [];
        return appendedTo(question, texts.join(''));
      },
    };
  },
};
