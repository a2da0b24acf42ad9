import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { partnersShape } from '../../../local/stack-file';

const factsShape = partnersShape.extend({
  baseUrl: z.string(),
  wsUrl: z.string(),
  mqttUrl: z.string(),
  caFile: z.string(),
});

/** Where the stack under test is described: the `stack.json` of the one that jest started, or of another one. */
export function stackFile(): string {
  const file = process.env['STACK_FILE'];
  if (!file) throw new Error('STACK_FILE is not set: jest starts the stack and sets it');
  return file;
}

/** Addresses and demo partners of the stack under test. */
export const readFacts = () => factsShape.parse(JSON.parse(readFileSync(stackFile(), 'utf8')));
