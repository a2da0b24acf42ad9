import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { removeConnectionById, type Connection } from '../../data/channels/connections';
import { heldDevice } from '../../data/channels/sessions';
import { endMqttConnection } from '../../data/channels/iot-data-plane';
import { readShare } from '../../data/shares/shares';
import { viewerClientId, viewerPseudonym } from '../../data/shares/share-id';
import { endLeaseOfViewer } from '../commands/lease';

/** A thousand viewers of a share that has ended give no seat back: a read each, and no write to the seats. */
async function hasSeat({ shareCode }: Connection): Promise<boolean> {
  return shareCode === undefined || (await readShare(shareCode, new Date().toISOString())) !== undefined;
}

/** `$disconnect` is best effort; the heartbeat and the next delivery remove what it misses. */
export async function handler({ requestContext }: APIGatewayProxyWebsocketEventV2): Promise<{ statusCode: number }> {
  const { connectionId } = requestContext;
  const items = await removeConnectionById(connectionId, hasSeat);
  // A viewer without a seat gets no samples either.
  if (items.some(({ broadcast }) => broadcast !== undefined)) await endMqttConnection(viewerClientId(connectionId));
  const now = new Date().toISOString();
  for (const item of items) {
    const deviceId = heldDevice(item);
    if (deviceId !== undefined) await endLeaseOfViewer(deviceId, viewerPseudonym(connectionId), now);
  }
  return { statusCode: 200 };
}
