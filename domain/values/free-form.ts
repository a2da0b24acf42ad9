import * as z from 'zod/mini';
import { MALFORMED } from './text';

/** Levels of nesting that free-form data may have. */
const MAX_DEPTH = 32;
/** Most faults that are looked for: an answer lists no more. */
const MAX_FAULTS = 20;

export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * The name of a member that programs lose: `object[name] = value` sets what the object inherits from in JavaScript
 * (ECMA-262, section B.2.2.1), and zod leaves it out of an object.
 */
export const LOST_NAME = '__proto__';

/** What is wrong with a member of that name. */
export const LOST = 'is a name that programs lose: choose another';

/** What is wrong with JSON that is nested too deeply. */
export const tooDeep = (levels: number) => `must not be nested deeper than ${levels} levels`;

/**
 * Why a number is refused: it is not what its sender wrote (RFC 7493 section 2.2), as `1e999` and `1610521604143693812`
 * are not.
 */
function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must be a number that JSON can carry back';
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? 'is beyond ±9007199254740991: write it as text' : undefined;
}

/** What of some JSON would not arrive as it was meant, as far as that can be seen once it is parsed. */
function* faultsOf(value: unknown, path: readonly PropertyKey[] = []): Generator<Fault> {
  const message = typeof value === 'number' ? numberFault(value) : undefined;
  if (message !== undefined) yield { path, message };
  if (typeof value === 'string' && !value.isWellFormed()) yield { path, message: MALFORMED };
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= MAX_DEPTH) {
    yield { path: [], message: tooDeep(MAX_DEPTH) };
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed()) yield { path: [...path, name], message: MALFORMED };
    if (name === LOST_NAME) yield { path: [...path, name], message: LOST };
    yield* faultsOf(inner, [...path, name]);
  }
}

/**
 * A check of free-form data: names and values arrive as they were meant, on the bus too, where JSON arrives parsed.
 * @param maxBytes its size as JSON in UTF-8; default: any
 */
export const freeForm = (maxBytes = Infinity) =>
  z.superRefine<object>((value, context) => {
    let count = 0;
    for (const { path, message } of faultsOf(value)) {
      context.addIssue({ code: 'custom', path: [...path], message });
      count += 1;
      if (count >= MAX_FAULTS) return;
    }
    if (count === 0 && maxBytes < Infinity && Buffer.byteLength(JSON.stringify(value)) > maxBytes)
      context.addIssue({ code: 'custom', message: `must not be larger than ${maxBytes} bytes` });
  });

/** The members that an object loses where a schema copies it, which `freeForm` can't see any more; at most {@link MAX_FAULTS}. */
export const lostIn = (value: unknown): readonly Fault[] =>
  [...faultsOf(value)].filter(({ message }) => message === LOST).slice(0, MAX_FAULTS);
