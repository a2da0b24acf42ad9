import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import MarkdownIt from 'markdown-it';
import * as z from 'zod/mini';
import { statusMessages } from '../../../contract/channels/status-messages';
import { socketMessages } from '../../../contract/channels/socket-messages';
import { webSocketActions, type WebSocketActionName } from '../../../contract/websocket-actions';

const folder = join(__dirname, '../../../docs/guides');
const markdown = new MarkdownIt();

/** A fenced block of a guide. */
export interface Block {
  /** First word behind the fence. */
  readonly language: string;
  /** The other words: `output`, `message`, `status=404`, or the `[title]` of a tab. */
  readonly note: string;
  readonly text: string;
  /** Line of the fence in the file. */
  readonly line: number;
}

/** The rows of a table without its head; each cell is its Markdown. */
export interface Table {
  readonly heading: string;
  readonly rows: readonly (readonly string[])[];
}

export interface Guide {
  /** Name of the file, without `.md`. */
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly tables: readonly Table[];
  /** The text of each heading. */
  readonly headings: readonly string[];
}

export const guideNames = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace('.md', ''));

/** Reads a guide with the parser that the docs site uses too. */
export function readGuide(name: string): Guide {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8');
  const blocks: Block[] = [];
  const tables: { heading: string; rows: string[][] }[] = [];
  const headings: string[] = [];
  let isHead = false;
  const tokens = markdown.parse(text, {});
  tokens.forEach(({ type, info, content, map }, index) => {
    const [language = '', ...note] = info.trim().split(/\s+/);
    if (type === 'fence') blocks.push({ language, note: note.join(' '), text: content, line: (map?.[0] ?? 0) + 1 });
    if (type === 'heading_open') headings.push(tokens[index + 1]?.content ?? '');
    if (type === 'table_open') tables.push({ heading: headings.at(-1) ?? '', rows: [] });
    if (type === 'thead_open' || type === 'thead_close') isHead = type === 'thead_open';
    if (type === 'tr_open' && !isHead) tables.at(-1)?.rows.push([]);
    if (type === 'td_open')
      tables
        .at(-1)
        ?.rows.at(-1)
        ?.push(tokens[index + 1]?.content ?? '');
  });
  return { name, text, blocks, tables, headings };
}

/** The rows of all tables below a heading. */
export const rowsBelow = ({ tables }: Guide, heading: string) =>
  tables.filter((table) => table.heading === heading).flatMap(({ rows }) => rows);

/**
 * How a block is tested: `program`: it is run; `output`: compared with what the shell block before it prints;
 * `message`: validated by the contract; `headers`: parsed; `quote`: is in the sample adapter.
 */
export type BlockKind = 'program' | 'output' | 'message' | 'headers' | 'quote';

const kinds: readonly { readonly language: string; readonly note: RegExp; readonly kind: BlockKind }[] = [
  { language: 'bash', note: /^(status=\d{3})?$/, kind: 'program' },
  { language: 'ts', note: /^\[TypeScript\]$/, kind: 'program' },
  { language: 'python', note: /^\[Python\]$/, kind: 'program' },
  { language: 'go', note: /^\[Go\]$/, kind: 'program' },
  { language: 'python', note: /^quote$/, kind: 'quote' },
  { language: 'json', note: /^output$/, kind: 'output' },
  { language: 'http', note: /^output$/, kind: 'output' },
  { language: 'json', note: /^message$/, kind: 'message' },
  { language: 'http', note: /^example$/, kind: 'headers' },
];

/** Undefined for a block that no test knows. */
export const kindOf = ({ language, note }: Block): BlockKind | undefined =>
  kinds.find((each) => each.language === language && each.note.test(note))?.kind;

/** The statuses that a shell block expects of its requests: by default any success. */
export const expectedStatus = ({ note }: Block): RegExp => {
  const [, status] = /^status=(\d{3})$/.exec(note) ?? [];
  return status === undefined ? /^2\d\d$/ : new RegExp(`^${status}$`);
};

/** The JSON values in a block, one after the other. @throws SyntaxError */
export const jsonValuesIn = (text: string): unknown[] =>
  text
    .trim()
    .split(/\n(?=\{)/)
    .map((value) => JSON.parse(value) as unknown);

const received: readonly z.ZodMiniType[] = [
  ...Object.values(statusMessages),
  ...Object.values(socketMessages).map(({ message }) => message),
  ...Object.values(webSocketActions).map(({ reply }) => reply),
];

const withId = z.looseObject({
  id: z.optional(z.union([z.string(), z.number()])),
  type: z.optional(z.string()),
  action: z.optional(z.string()),
});

/** Whether the schema accepts the value and knows all of its fields. */
function fits(schema: z.ZodMiniType, value: object): boolean {
  const parsed = schema.safeParse(value);
  // A publish with one sample becomes a list of one.
  return parsed.success && (isDeepStrictEqual(parsed.data, value) || 'action' in value);
}

/** Whether the contract has such a message, from the service or from a client, with exactly these fields. */
export function isMessage(value: unknown): boolean {
  const { id, ...message } = withId.parse(value);
  if (message.action !== undefined) {
    const action = message.action in webSocketActions ? (message.action as WebSocketActionName) : undefined;
    return (
      action !== undefined && fits(webSocketActions[action].message, { ...message, ...(id !== undefined && { id }) })
    );
  }
  return received.some((schema) => fits(schema, message));
}
