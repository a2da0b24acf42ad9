import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const facts = z.object({
  baseUrl: z.string(),
  wsUrl: z.string(),
  mqttUrl: z.string(),
  caFile: z.string(),
  partners: z
    .array(
      z.object({
        clientId: z.string(),
        clientSecret: z.string(),
        apiKey: z.string(),
        deviceGroups: z.array(z.object({ deviceGroupId: z.string() })),
      }),
    )
    .min(1),
});

/** The stack that `npm start` runs. @throws Error that says how to start it when there is none */
export function runningStack() {
  const file = join(process.env['LOCAL_DIR'] ?? join(__dirname, '../../.local'), 'stack.json');
  if (!existsSync(file)) throw new Error('No stack is running here: npm start, in another terminal.');
  return facts.parse(JSON.parse(readFileSync(file, 'utf8')));
}

export type RunningStack = ReturnType<typeof runningStack>;
