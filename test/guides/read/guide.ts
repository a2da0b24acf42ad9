import MarkdownIt from 'markdown-it';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
