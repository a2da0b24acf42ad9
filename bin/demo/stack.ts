import * as z from 'zod';
import { onboarded, readLocalStack } from '../client/onboarded';

const facts = onboarded.extend({ wsUrl: z.string(), mqttUrl: z.string() });

/** The stack that `npm start` runs. @throws Error that says how to start it when there is none */
export function runningStack() {
  const found = readLocalStack();
  if (found === undefined) throw new Error('No stack is running here: npm start, in another terminal.');
  return facts.parse(found);
}

export type RunningStack = ReturnType<typeof runningStack>;
