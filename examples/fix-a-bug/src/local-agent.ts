import type { AgentInputItem, Model, ModelRequest } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';

const FIXED = `/** The total of an invoice, in cents, with tax. */
export function total(lines, taxRate) {
  const net = lines.reduce((sum, { cents, count }) => sum + cents * count, 0);
  return Math.round(net * (1 + taxRate));
}
`;

/** A local agent that needs no API key. It lists the scripts first, unless its memory says which one to run. */
export function localAgent(): Model {
  return new ScriptedModel(Array.from({ length: 20 }, () => modelResponder(({ request }) => [nextStep(request)])));
}

function nextStep({ systemInstructions = '', input }: ModelRequest) {
  const items = typeof input === 'string' ? [] : input;
  const [done, results] = [callsIn(items), resultsIn(items)];
  const call = (name: string, fields: Record<string, string> = {}) =>
    functionCall(name, fields, { callId: `call-${done.length}` });

  const isChecked = /ok/.test(results.at(-1) ?? '') && done.at(-1) === 'run_script';
  if (isChecked) return assistantMessage('The invoice totals are right: check.js passes.');
  const knowsTheCheck = systemInstructions.includes('run_script check.js');
  if (!done.includes('run_script')) {
    if (knowsTheCheck) return call('run_script', { name: 'check.js' });
    if (!done.includes('list_files')) return call('list_files');
    return call('run_script', { name: 'check.js' });
  }
  if (!done.includes('read_file')) return call('read_file', { name: 'totals.js' });
  if (!done.includes('write_file')) return call('write_file', { name: 'totals.js', text: FIXED });
  return call('run_script', { name: 'check.js' });
}

function callsIn(items: readonly AgentInputItem[]): string[] {
  return items.flatMap((item) => (item.type === 'function_call' ? [item.name] : []));
}

function resultsIn(items: readonly AgentInputItem[]): string[] {
  return items.flatMap((item) => (item.type === 'function_call_result' ? [JSON.stringify(item.output)] : []));
}
