import type { Terminal } from '../partner/run';

/** Tokens and share codes have a form of their own. */
const forms = [/\beyJ[\w-]{8,}\.[\w.-]+/g, /\bshare-[0-9a-z]{8}-[0-9a-z]+/g];

/** Longest line, in characters: what came may be a page. */
const LINE_CHARACTERS = 400;

/** Prints a line for each step, and counts them. Nothing that lets anybody in is printed. */
export class Report {
  readonly #terminal: Terminal;
  readonly #secrets: readonly string[];
  readonly #began = Date.now();
  #held = 0;
  #failed = 0;
  #skipped = 0;

  /** @param secrets texts that are left out of every line */
  constructor(terminal: Terminal, secrets: readonly string[]) {
    this.#terminal = terminal;
    // A shorter text is no secret, and stands in ordinary words.
    this.#secrets = secrets.filter(({ length }) => length >= 8);
  }

  held(name: string, ms: number, note: string | undefined): void {
    this.#held++;
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

  /** @returns whether every step held that was not left out */
  end(): boolean {
    const seconds = ((Date.now() - this.#began) / 1000).toFixed(1);
    this.#line(`\n${this.#held} ok, ${this.#failed} failed, ${this.#skipped} skipped in ${seconds} s`);
    return this.#failed === 0;
  }

  #line(text: string): void {
    const known = this.#secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
    const clean = forms.reduce((line, form) => line.replaceAll(form, '…'), known);
    const short = clean.length > LINE_CHARACTERS ? `${clean.slice(0, LINE_CHARACTERS)}…` : clean;
    this.#terminal.print(`${short}\n`);
  }
}
