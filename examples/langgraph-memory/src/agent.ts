import {
  Annotation,
  type BaseCheckpointSaver,
  type BaseStore,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph';

const State = Annotation.Root({ user: Annotation<string>, order: Annotation<string>, answer: Annotation<string> });

/** Refunds an order after somebody has approved it, and remembers for later threads how the user wants to be paid. */
export function refundAgent(checkpointer: BaseCheckpointSaver, store: BaseStore) {
  return new StateGraph(State)
    .addNode('approve', ({ order }) => {
      const method = interrupt<unknown, string | false>({ question: `Refund order ${order}?` });
      return { answer: method === false ? 'refused' : method };
    })
    .addNode('pay', async ({ user, order, answer }, { store }: LangGraphRunnableConfig) => {
      if (answer === 'refused') return { answer: `Order ${order} is not refunded.` };
      const text = `${user} gets refunds ${answer}`;
      await store?.put(['u', user], 'refunds', { text, order });
      return { answer: `The money for order ${order} is sent ${answer}.` };
    })
    .addEdge(START, 'approve')
    .addEdge('approve', 'pay')
    .addEdge('pay', END)
    .compile({ checkpointer, store });
}
