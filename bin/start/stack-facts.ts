import type { StackFacts as RunnerFacts } from 'cloud-assembly-runner';
import * as z from 'zod';

const partner = z.object({
  organisationId: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  apiKey: z.string(),
  scopes: z.array(z.string()),
  deviceGroups: z.array(z.object({ deviceGroupId: z.string(), devices: z.array(z.object({ deviceId: z.string() })) })),
});

/** Partners as `partner onboard --json` prints them. */
export const partnersShape = z.object({ partners: z.array(partner) });

export type Partner = z.infer<typeof partner>;

/** This app's part of `stack.json`; null for channels that are not in the template. */
export interface AppFacts {
  readonly wsUrl: string | null;
  readonly shareBaseUrl: string | null;
  readonly docsUrl: string | null;
  /** Link to watch the drone that `npm start` keeps in the air; null without one. */
  readonly demoFlightUrl: string | null;
  readonly partners: readonly Partner[];
}

/** Content of `stack.json`: addresses and demo credentials for clients of the running stack. */
export type StackFacts = RunnerFacts & AppFacts;
