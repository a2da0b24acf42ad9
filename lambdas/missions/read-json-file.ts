import { invalid, Refusal } from '../../domain/values/refusal';
import { readable } from '../runtime/details';
import { readJson, type ReadJson } from '../runtime/read-json';
import { readText } from './read-text';

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
