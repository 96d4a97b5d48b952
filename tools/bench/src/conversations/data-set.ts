import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beam } from './beam.ts';
import type { Conversation } from './conversation.ts';
import { locomo } from './locomo.ts';
import type { DataSetName, Shape } from './shape.ts';

/** Conversations of one kind. */
export interface DataSet {
  readonly name: DataSetName;
  /** The categories of its questions, in the order of the tables. */
  readonly categories: readonly string[];
  readonly conversations: readonly Conversation[];
}

/** Describes what a directory must contain. */
export const DATA =
  'a directory with conversations of LoCoMo (locomo10.json as published, or a JSON file per conversation with session_1 and qa) or with chats of BEAM (a JSON file per chat with entries and questions)';

const SHAPES: readonly Shape[] = [locomo, beam];

/**
 * Reads all conversations in a directory, in the order of their file names.
 *
 * @throws Error unless the directory holds {@link DATA}.
 */
export function readDataSet(directory: string): DataSet {
  const found = readJsonFiles(directory);
  if (found.length === 0) throw new Error(`${directory} contains no JSON file. It must be ${DATA}.`);
  const shapes = new Set(found.map(({ value, name }) => shapeOf(value, join(directory, name))));
  const [shape] = shapes;
  if (shapes.size > 1 || shape === undefined) {
    throw new Error(`${directory} mixes data sets. It must be ${DATA}.`);
  }
  return {
    name: shape.name,
    categories: shape.categories,
    conversations: found.map(({ value, name }) => shape.read(value, name)),
  };
}

/** The conversations in the JSON files of a directory: one per file, or an array. */
function readJsonFiles(directory: string): { readonly name: string; readonly value: unknown }[] {
  const byNumber = new Intl.Collator('en', { numeric: true });
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'));
  return files.sort(byNumber.compare).flatMap((file) => {
    const value = parsed(readFileSync(join(directory, file), 'utf8'));
    const name = file.slice(0, -'.json'.length);
    return (Array.isArray(value) ? value : [value]).map((one) => ({ name, value: one }));
  });
}

/** Returns nothing for invalid JSON, which is then refused like other files without a conversation. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shapeOf(value: unknown, path: string): Shape {
  const shape = SHAPES.find((one) => one.recognises(value));
  if (shape === undefined) throw new Error(`${path}.json contains no conversation. --data must be ${DATA}.`);
  return shape;
}
