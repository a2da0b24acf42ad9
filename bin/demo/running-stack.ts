import * as z from 'zod';
import { credentialsFile, readLocalStack } from '../client/credentials-file';

const stackFile = credentialsFile.extend({ wsUrl: z.string(), mqttUrl: z.string() });

/** The stack that `npm start` runs. @throws Error with the command that starts one when none runs */
export function runningStack() {
  const found = readLocalStack();
  if (found === undefined) throw new Error('No stack is running here: start one with `npm start` in another terminal.');
  return stackFile.parse(found);
}

export type RunningStack = ReturnType<typeof runningStack>;
