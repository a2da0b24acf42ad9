import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isElsewhere, stackFile } from './address';

const factsShape = z.object({
  baseUrl: z.string().transform((url) => url.replace(/\/+$/, '')),
  wsUrl: z.string(),
  mqttUrl: z.string(),
  /** Certificate authority in addition to the public ones, in PEM. */
  caFile: z.string().optional(),
});

export type Facts = z.output<typeof factsShape>;

/** Addresses of the stack under test: from the environment for a remote one, else from its file. */
export function readFacts(): Facts {
  if (!isElsewhere()) return factsShape.parse(JSON.parse(readFileSync(stackFile(), 'utf8')));
  const { BASE_URL: baseUrl, WS_URL: wsUrl, MQTT_URL: mqttUrl, CA_FILE: caFile } = process.env;
  return factsShape.parse({ baseUrl, wsUrl, mqttUrl, caFile: caFile || undefined });
}

const channels = factsShape.pick({ wsUrl: true, mqttUrl: true });

/**
 * Takes the channels of a remote stack from its outputs, unless the environment names them.
 * @param onboarded output of `partner onboard --json`
 */
export function nameChannels(onboarded: string): void {
  const { wsUrl, mqttUrl } = channels.parse(JSON.parse(onboarded));
  process.env['WS_URL'] ||= wsUrl;
  process.env['MQTT_URL'] ||= mqttUrl;
}
