import type { Block } from './guide';

/**
 * How a block is tested: `program`: it is run; `output`: compared with what the shell block before it prints; `message`: validated
 * by the contract; `headers`: parsed; `quote`: is in the sample adapter.
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
