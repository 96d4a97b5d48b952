import {
  Annotation,
  type BaseCheckpointSaver,
  type BaseStore,
  Command,
  DeltaChannel,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph';

const State = Annotation.Root({
  order: Annotation<string>,
  amount: Annotation<number>,
  // Its value is only in the writes of the checkpoints, and every third one has a snapshot.
  log: () =>
    new DeltaChannel<string[], string[]>((log, writes) => [...log, ...writes.flat()], { snapshotFrequency: 3 }),
  steps: Annotation<string[]>({ reducer: (steps, more) => [...steps, ...more], default: () => [] }),
});

/** An agent that refunds an order once somebody has approved it, and remembers what it paid in the store. */
export function refundGraph(checkpointer: BaseCheckpointSaver, store?: BaseStore) {
  return new StateGraph(State)
    .addNode('price', () => ({ amount: 40, log: ['priced'], steps: ['price'] }))
    .addNode('check', () => ({ log: ['checked'], steps: ['check'] }))
    .addNode('approve', ({ amount }) => {
      const approved = interrupt<unknown, number>({ question: `Refund ${amount} €?` });
      return { amount: approved, log: [`approved ${approved}`], steps: ['approve'] };
    })
    .addNode('pay', async ({ order, amount }, config: LangGraphRunnableConfig) => {
      await config.store?.put(['refunds', order], 'last', { amount });
      return { log: [`paid ${amount}`], steps: ['pay'] };
    })
    .addEdge(START, 'price')
    .addEdge('price', 'check')
    .addEdge('check', 'approve')
    .addEdge('approve', 'pay')
    .addEdge('pay', END)
    .compile({ checkpointer, ...(store === undefined ? {} : { store }) });
}

export const approve = (amount: number) => new Command<number, Record<string, unknown>, never>({ resume: amount });

export const inThread = (thread_id: string) => ({ configurable: { thread_id } });
