import type { Deployment } from '../deployment/deployment';
import type { OnboardedGroup } from './fleet';
import { printable } from '../command-line/printable';
import { table } from '../command-line/table';

/** A new client's credentials, printed once. */
export interface OnboardedClient {
  readonly organisationId: string;
  readonly organisation: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly scopes: readonly string[];
  readonly deviceGroups: readonly OnboardedGroup[];
}

/** Onboarding's result as text. */
export function describeOnboarded(
  { addresses, resourceServer, caFile }: Deployment,
  clients: readonly OnboardedClient[],
): string {
  const described = clients.map(({ name, organisation, deviceGroups, ...client }) => {
    const facts = [
      ['organisation', client.organisationId],
      ['client id', client.clientId],
      ['client secret', client.clientSecret],
      ['API key', client.apiKey],
      ['scopes', client.scopes.join(' ')],
      ['base address', addresses.baseUrl],
      ['tokens', `POST ${addresses.tokenUrl}`],
      ['WebSocket', addresses.wsUrl],
      ['MQTT', addresses.mqttUrl],
      ...(caFile === undefined ? [] : [['CA file for MQTT', caFile]]),
      ['share links', `${addresses.shareBaseUrl}/share/…`],
      ['resource server', resourceServer],
    ];
    const groups = deviceGroups.length > 0 ? describeGroups(deviceGroups) : noGroups(client.organisationId);
    return [printable(`${name} of ${organisation}`), indented(table(facts)), groups].join('\n');
  });
  return [...described, 'The client secret and the API key are not shown again.'].join('\n\n');
}

function describeGroups(groups: readonly OnboardedGroup[]): string {
  const rows = groups.flatMap(({ deviceGroupId, name, devices }) => [
    [deviceGroupId, name, ''],
    ...devices.map((device) => [`  ${device.deviceId}`, device.name, device.streamId ?? '']),
  ]);
  return indented(table(rows));
}

/** Device groups are registered with a client, so an organisation without any gets them with its next one. */
const noGroups = (organisation: string) =>
  indented(`no device groups yet: a job needs a device of one. They are added with --fleet FILE, here with a next client
(onboard --organisation-id ${organisation} --client … --scopes … --fleet FILE); \`onboard --help\` has an example.`);

const indented = (text: string) => text.replaceAll(/^/gm, '  ');
