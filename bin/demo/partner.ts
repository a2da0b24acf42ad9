import { DroneMissionClient } from 'drone-mission-client';
import type { RunningStack } from './running-stack';

/** The first demo partner of a stack, and its client. @throws Error when there is none */
export function demoPartner({ baseUrl, wsUrl, partners: [partner] }: RunningStack) {
  if (!partner) throw new Error('the stack has no demo partner: stop it and remove .local to start afresh');
  const { clientId, clientSecret, apiKey } = partner;
  const client = new DroneMissionClient({ baseUrl, wsUrl, clientId, clientSecret, apiKey });
  return { client, clientId };
}
