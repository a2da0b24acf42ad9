import type { Deployment } from './deployment';
import type { OnboardedGroup } from './fleet';
import { printable } from './printable';
import { columns } from './report';

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
  { addresses, resourceServer }: Deployment,
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
      ['share links', `${addresses.shareBaseUrl}/share/…`],
      ['resource server', resourceServer],
    ];
    return [printable(`${name} of ${organisation}`), indented(columns(facts)), describeGroups(deviceGroups)].join('\n');
  });
  return [...described, 'The client secret and the API key are not shown again.'].join('\n\n');
}

function describeGroups(groups: readonly OnboardedGroup[]): string {
  if (groups.length === 0) return '  no device groups yet';
  const rows = groups.flatMap(({ deviceGroupId, name, devices }) => [
    [deviceGroupId, name, ''],
    ...devices.map((device) => [`  ${device.deviceId}`, device.name, device.streamId ?? '']),
  ]);
  return indented(columns(rows));
}

const indented = (text: string) => text.replaceAll(/^/gm, '  ');
