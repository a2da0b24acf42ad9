import * as z from 'zod';
import { credentialsFile, readLocalStack } from '../client/credentials-file';
import { DroneMissionClient } from 'drone-mission-client';

const stackFile = credentialsFile.extend({ wsUrl: z.string(), mqttUrl: z.string() });

/** The stack that `npm start` runs. @throws Error with the command that starts one when none runs */
export function runningStack() {
  const found = readLocalStack();
  if (found === undefined) throw new Error('No stack is running here: start one with `npm start` in another terminal.');
  return stackFile.parse(found);
}

export type RunningStack = ReturnType<typeof runningStack>;

/** The first demo partner of a stack, and its client. @throws Error when there is none */
export function demoPartner({ baseUrl, wsUrl, partners: [partner] }: RunningStack) {
  if (!partner) throw new Error('the stack has no demo partner: stop it and remove .local to start afresh');
  const { clientId, clientSecret, apiKey } = partner;
  const client = new DroneMissionClient({ baseUrl, wsUrl, clientId, clientSecret, apiKey });
  return { client, clientId };
}
