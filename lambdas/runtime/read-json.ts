import { visit, type JSONPath } from 'jsonc-parser';
import { LOST, LOST_NAME, tooDeep } from '../../domain/values/free-form';
import type { Detail } from '../../domain/values/refusal';
import { MAX_DETAILS, formatPath } from './details';

/** Levels of nesting that a text may have: free-form data has at most 32, and few levels around it. */
const MAX_DEPTH = 64;

/** Ends the reading of a text that is nested too deeply, before the reader recurses into it. */
class TooDeep extends Error {}

/** A fault beyond those that an answer lists. */
const UNSHOWN: Detail = { path: '', message: '' };

/** The end of a name in a text; of a string, too, if it looks like one. */
const NAME_END = /"\s*:/g;

/** How many members the objects in a value have in all; Infinity when it is nested too deeply, or one has a name that is lost. */
function membersIn(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH || Object.hasOwn(value, LOST_NAME)) return Infinity;
  const inner = Object.values(value);
  return inner.reduce((sum: number, each) => sum + membersIn(each, depth + 1), Array.isArray(value) ? 0 : inner.length);
}

/**
 * Whether there is nothing to look for: a text with no more names than its value has gives none twice. It spares most
 * texts the reader.
 */
const isClear = (text: string, value: unknown) => (text.match(NAME_END)?.length ?? 0) === membersIn(value);

/** JSON as it was read. */
export interface ReadJson {
  readonly value: unknown;
  /** What of it may have been meant otherwise. */
  readonly faults: readonly Detail[];
}

/**
 * Reads JSON whose names are unique and not lost by a schema, and whose encoding is UTF-8 (RFC 7493 sections 2.1 and
 * 2.3; RFC 8259 sections 4 and 8.1). Of a member that is given twice, readers take one or the other; API Gateway puts
 * U+FFFD where a body is not UTF-8.
 * @param encoding `replaced`: U+FFFD in the text stands for something else; `checked`: it was sent as such, as over WebSockets
 * @throws SyntaxError when the text is not JSON
 */
export function readJson(text: string, encoding: 'replaced' | 'checked'): ReadJson {
  const value: unknown = JSON.parse(text);
  const isReplaced = encoding === 'replaced' && text.includes('\uFFFD');
  if (!isReplaced && isClear(text, value)) return { value, faults: [] };
  const faults: Detail[] = [];
  /** The names in each object or list that is open. */
  const open: Set<string>[] = [];
  const begin = () => {
    if (open.length === MAX_DEPTH) throw new TooDeep();
    open.push(new Set());
  };
  const end = () => void open.pop();
  // Further faults are only counted: a path for each of a million would take longer than the text.
  const note = (path: () => JSONPath, message: string) =>
    faults.push(faults.length < MAX_DETAILS ? { path: formatPath(path()), message } : UNSHOWN);
  const expectEncoded = (offset: number, length: number, path: () => JSONPath) => {
    if (isReplaced && text.slice(offset, offset + length).includes('\uFFFD')) note(path, 'is not UTF-8');
  };
  try {
    visit(text, {
      onObjectBegin: begin,
      onObjectEnd: end,
      onArrayBegin: begin,
      onArrayEnd: end,
      onObjectProperty: (name, offset, length, _line, _character, parent) => {
        const path = () => [...parent(), name];
        const names = open.at(-1);
        if (names?.has(name)) note(path, 'must be given once');
        if (name === LOST_NAME) note(path, LOST);
        names?.add(name);
        expectEncoded(offset, length, path);
      },
      onLiteralValue: (_value, offset, length, _line, _character, path) => expectEncoded(offset, length, path),
    });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    note(() => [], tooDeep(MAX_DEPTH));
  }
  return { value, faults };
}
