import { invalid, Refusal } from '../../domain/values/refusal';
import { readable } from '../runtime/details';
import { readJson, type ReadJson } from '../runtime/read-json';

/** Longest part of a file that a message repeats, in characters. */
const MAX_SHOWN = 32;

const NOT_UTF8 = 'the file is not UTF-8';

/**
 * The text of a file in UTF-8, without a byte order mark.
 * @throws Refusal `invalid_request` for what is not UTF-8: a reader that replaced it would change what was meant
 */
export function readText(content: Buffer): string {
  const text = decoded(content);
  // Neither JSON nor XML has this character.
  if (text.includes('\0')) throw invalid('', `${NOT_UTF8}: it has bytes of 0, as UTF-16 has`);
  return text;
}

function decoded(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw invalid('', NOT_UTF8);
  }
}

/** A part of a file as a message repeats it. */
export const shown = (text: string): string => text.slice(0, MAX_SHOWN).toWellFormed();

/**
 * The JSON of a file.
 * @throws Refusal `invalid_request` for what is no JSON in UTF-8, has a member twice, or is nested too deeply
 */
export function readJsonFile(content: Buffer): unknown {
  const { value, faults } = readOrRefuse(readText(content));
  if (faults.length > 0) throw new Refusal('invalid_request', readable(faults));
  return value;
}

function readOrRefuse(text: string): ReadJson {
  try {
    return readJson(text, 'checked');
  } catch {
    throw invalid('', 'the file is not valid JSON');
  }
}

/** The members of a JSON object, which are not copied; undefined for anything else. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
