import type { Terminal } from '../command-line/terminal';

/** Tokens and share codes, recognised by their form. */
const secretPatterns = [/\beyJ[\w-]{8,}\.[\w.-]+/g, /\bshare-[0-9a-z]{8}-[0-9a-z]+/g];

/** Longest line in characters: an unexpected answer may be a whole page. */
const LINE_CHARACTERS = 400;

/** Prints a line per step and counts them. Redacts secrets, tokens and share codes. */
export class Report {
  readonly #terminal: Terminal;
  readonly #secrets: readonly string[];
  readonly #startedAt = Date.now();
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  /** @param secrets texts to redact in every line */
  constructor(terminal: Terminal, secrets: readonly string[]) {
    this.#terminal = terminal;
    // A shorter text is no secret, and may be part of an ordinary word.
    this.#secrets = secrets.filter(({ length }) => length >= 8);
  }

  passed(name: string, ms: number, note: string | undefined): void {
    this.#passed++;
    this.#line(`ok    ${name} ${Math.round(ms)} ms${note === undefined ? '' : ` (${note})`}`);
  }

  failed(name: string, why: string): void {
    this.#failed++;
    this.#line(`FAIL  ${name}: ${why}`);
  }

  skipped(name: string, why: string): void {
    this.#skipped++;
    this.#line(`skip  ${name}: ${why}`);
  }

  /** @returns whether no step failed */
  end(): boolean {
    const seconds = ((Date.now() - this.#startedAt) / 1000).toFixed(1);
    this.#line(`\n${this.#passed} ok, ${this.#failed} failed, ${this.#skipped} skipped in ${seconds} s`);
    return this.#failed === 0;
  }

  #line(text: string): void {
    const known = this.#secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
    const clean = secretPatterns.reduce((line, form) => line.replaceAll(form, '…'), known);
    const short = clean.length > LINE_CHARACTERS ? `${clean.slice(0, LINE_CHARACTERS)}…` : clean;
    this.#terminal.print(`${short}\n`);
  }
}
