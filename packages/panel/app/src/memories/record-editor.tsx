import { useEffect, useRef, useState } from 'preact/hooks';
import { PATHS, type RecordDetail, type TextPiece } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { asError, useLoaded } from '../api/use-loaded.ts';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import type { Edit } from './use-record-changes.ts';

interface RecordEditorProps {
  readonly record: RecordDetail;
  readonly save: (edit: Edit) => Promise<void>;
  readonly close: () => void;
}

/** Edits the text and the metadata. The whole text is loaded first: saving a part of it would lose the rest. */
export function RecordEditor({ record, save, close }: RecordEditorProps) {
  const { data: text, error, reload } = useLoaded(`${record.namespace} ${record.id} text`, () => wholeText(record));
  if (error) return <Failure error={error} retry={reload} />;
  if (text === undefined) return <Skeleton lines={4} />;
  return <Form record={record} text={text} save={save} close={close} />;
}

function Form({ record, text, save, close }: RecordEditorProps & { readonly text: string }) {
  const [content, setContent] = useState(text);
  const [metadata, setMetadata] = useState(() => JSON.stringify(record.metadata, null, 2));
  const [keeps, setKeeps] = useState(record.can.keepVersions);
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);

  const submit = async () => {
    if (saving) return;
    const fields = parseObject(metadata);
    if (fields === undefined) return setProblem('The metadata must be a JSON object, such as {"topic": "travel"}.');
    if (content.trim() === '') return setProblem('A memory needs a text. To remove it, delete it.');
    setSaving(true);
    setProblem(undefined);
    try {
      await save({ content, metadata: fields, keepVersion: keeps });
      close();
    } catch (error) {
      setProblem(asError(error).message);
      setSaving(false);
    }
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
        if (event.key === 'Escape') {
          event.stopPropagation();
          close();
        }
      }}
    >
      <Field label="Text">
        <textarea
          ref={area}
          rows={8}
          dir="auto"
          value={content}
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
      </Field>
      <Field label="Metadata, as JSON">
        <textarea
          class="mono"
          rows={4}
          spellcheck={false}
          value={metadata}
          onInput={({ currentTarget }) => setMetadata(currentTarget.value)}
        />
      </Field>
      {record.can.keepVersions && (
        <label class="check">
          <input type="checkbox" checked={keeps} onChange={({ currentTarget }) => setKeeps(currentTarget.checked)} />
          Keep the version before, so that this can be undone
        </label>
      )}
      {problem && <Alert>{problem}</Alert>}
      <footer>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={saving}>
          Save
        </button>
      </footer>
    </form>
  );
}

async function wholeText({ namespace, id, content }: RecordDetail): Promise<string> {
  let { text } = content;
  let next: number | undefined = content.truncated ? text.length : undefined;
  while (next !== undefined) {
    const piece: TextPiece = await get<TextPiece>(PATHS.recordText, { namespace, id, offset: next });
    text += piece.text;
    next = piece.nextOffset;
  }
  return text;
}

function parseObject(json: string): { readonly [field: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
