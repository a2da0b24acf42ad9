import { DroneMissionClient, type ClientOptions } from 'drone-mission-client';
import { readFacts } from '../../api/stack/facts';
import { clientsOf, type OrganisationName } from '../../api/stack/organisations';

/** A partner's program: the client, and the fleet of its organisation. */
export function givenClient(organisation: OrganisationName, options: Partial<ClientOptions> = {}, index = 0) {
  const { baseUrl, wsUrl } = readFacts();
  const credentials = clientsOf(organisation)[index];
  const group = credentials?.deviceGroups[0];
  const device = group?.devices[0];
  if (!credentials || !group || !device) throw new Error(`${organisation} has no client ${index} with a device`);
  const { clientId, clientSecret, apiKey } = credentials;
  const client = new DroneMissionClient({ baseUrl, wsUrl, clientId, clientSecret, apiKey, ...options });
  return { client, deviceGroupId: group.deviceGroupId, deviceId: device.deviceId };
}

/** Reads an iterator in the background. */
export function collect<Message>(messages: AsyncIterable<Message>) {
  const received: Message[] = [];
  const ended = (async () => {
    for await (const message of messages) received.push(message);
  })();
  // Whoever awaits it gets the error.
  ended.catch(() => undefined);
  return { received, ended };
}
