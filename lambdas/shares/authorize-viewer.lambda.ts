import * as z from 'zod/mini';
import { findSession } from '../../data/channels/sessions';
import { readShare } from '../../data/shares/shares';
import { Refusal } from '../../domain/values/refusal';
import { iotArn } from '../access/iot-arn';
import { digestShareCode, viewerClientId } from '../../data/shares/share-id';
import { logger } from '../runtime/logger';

/** Event of a custom authorizer of AWS IoT (https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth.html). */
const connectEvent = z.object({
  protocolData: z.object({
    mqtt: z.object({ username: z.string(), password: z.base64(), clientId: z.string() }),
  }),
});

/** Bounds of `disconnectAfterInSeconds` and `refreshAfterInSeconds`. */
const SHORTEST_S = 300;
const LONGEST_S = 86_400;

const allow = (action: string, resource: string) => ({
  Effect: 'Allow',
  Action: action,
  Resource: [`${iotArn()}:${resource}`],
});

/** Allows connecting with this client id, without a persistent session or a last will, and reading one topic. */
function policyFor(clientId: string, topic: string) {
  const Condition = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': [] } };
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { ...allow('iot:Connect', `client/${clientId}`), Condition },
      allow('iot:Subscribe', `topicfilter/${topic}`),
      allow('iot:Receive', `topic/${topic}`),
    ],
  });
}

/** @throws Refusal `share_not_found` */
async function authorize(input: unknown) {
  const { username, password, clientId } = connectEvent.parse(input).protocolData.mqtt;
  const shareCode = Buffer.from(password, 'base64').toString();
  // AWS IoT appends its own parameters after a `?`.
  const [connectionId = ''] = username.split('?', 1);
  const now = new Date();
  const [viewer, share] = await Promise.all([findSession(connectionId), readShare(shareCode, now.toISOString())]);
  if (viewer?.kind !== 'viewer' || viewer.broadcast === undefined) throw new Refusal('share_not_found');
  const mayWatch = viewer.shareCode === share?.shareCode && clientId === viewerClientId(connectionId);
  if (!mayWatch) throw new Refusal('share_not_found');
  // Nothing is published after the end of the share, so a connection may last longer than its session.
  const left = Math.floor(viewer.expiresAt - now.getTime() / 1000);
  return {
    isAuthenticated: true,
    principalId: digestShareCode(shareCode),
    disconnectAfterInSeconds: Math.min(Math.max(left, SHORTEST_S), LONGEST_S),
    // A viewer whose socket is gone is refused by then, should it still be connected.
    refreshAfterInSeconds: SHORTEST_S,
    policyDocuments: [policyFor(clientId, viewer.broadcast)],
  };
}

/** Custom authorizer of MQTT over WebSockets: username = connection id of a viewer's open socket, password = share code. */
export async function handler(input: unknown) {
  try {
    return await authorize(input);
  } catch (error) {
    if (error instanceof Refusal) logger.info('viewer refused', { reason: error.code });
    else logger.error('viewer could not be authorised', { error });
    return { isAuthenticated: false };
  }
}
