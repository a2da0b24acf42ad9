import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { channelKinds, channels } from '../../contract/channels/status-channels';
import { noteListener } from '../../data/channels/listeners';
import { Refusal } from '../../domain/values/refusal';
import { identify, type CallerIdentity } from '../access/identify';
import { iotArn } from '../access/iot-arn';
import { logger } from '../runtime/logger';
import { parseOauthClient } from '../../contract/channels/mqtt-client-id';
import { recoverSubscriptions } from './mqtt-subscribers';

/** Event of a custom authorizer of AWS IoT (https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth.html). */
const connectEvent = z.object({
  protocolData: z.object({
    mqtt: z.object({ username: z.string(), password: z.base64(), clientId: z.string() }),
  }),
});

/** Bounds of `disconnectAfterInSeconds` and `refreshAfterInSeconds`. */
const SHORTEST_S = 300;
const LONGEST_S = 86_400;

/** Of the 5 s that AWS IoT waits for an answer. */
const RECOVERY_TIMEOUT_MS = 1500;

const statement = (action: string, resources: readonly string[]) => ({
  Effect: 'Allow',
  Action: action,
  Resource: resources,
});

/**
 * Allows neither a persistent session (MQTT 3.1.1 without clean session, MQTT 5 with a session expiry above 0) nor a last
 * will: attributes that are not listed are denied (AWS IoT developer guide, "Connect policy examples"). A persistent session
 * keeps its subscriptions while the client is disconnected, so the limit of 100 would not count all of them.
 */
const onlyDefaultFeatures = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': [] } };

/** Allows connecting with this client id, and subscribing to those topics of the organisation that the scopes allow. */
function policyFor({ organisation, scopes }: CallerIdentity, mqttClientId: string) {
  const topics = channelKinds
    .filter((kind) => scopes.includes(channels[kind].scope))
    .map((kind) => `${kind}-${organisation}-*/${channels[kind].topicSuffix}`);
  const subscriptions =
    topics.length === 0
      ? []
      : [
          statement(
            'iot:Subscribe',
            topics.map((topic) => `${iotArn()}:topicfilter/${topic}`),
          ),
          statement(
            'iot:Receive',
            topics.map((topic) => `${iotArn()}:topic/${topic}`),
          ),
        ];
  const connect = {
    ...statement('iot:Connect', [`${iotArn()}:client/${mqttClientId}`]),
    Condition: onlyDefaultFeatures,
  };
  return JSON.stringify({ Version: '2012-10-17', Statement: [connect, ...subscriptions] });
}

/**
 * AWS IoT calls the authorizer again every five minutes while a client is connected: time to find subscriptions whose events
 * were lost. Never fails, since that would end the connection; the next call tries again.
 */
async function recoverInTime(identity: CallerIdentity, mqttClientId: string): Promise<void> {
  const timeout = pause(RECOVERY_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`No answer within ${RECOVERY_TIMEOUT_MS} ms`);
  });
  await Promise.race([recoverSubscriptions(identity, mqttClientId), timeout]).catch((error: unknown) => {
    logger.warn('MQTT subscriptions could not be compared', { clientId: identity.clientId, error });
  });
}

/** @throws Refusal `unauthorized`, `forbidden` */
async function authorize(input: unknown) {
  const { username, password, clientId: mqttClientId } = connectEvent.parse(input).protocolData.mqtt;
  // AWS IoT appends its own parameters after a `?`.
  const [user] = username.split('?', 1);
  const identity = await identify(Buffer.from(password, 'base64').toString());
  const { clientId, expiresAt } = identity;
  if (user !== clientId || parseOauthClient(mqttClientId) !== clientId) throw new Refusal('forbidden');
  // The session must end with the token, and five minutes is the shortest session that AWS IoT accepts.
  const left = Math.floor(expiresAt - Date.now() / 1000);
  if (left < SHORTEST_S) throw new Refusal('unauthorized');
  await Promise.all([
    recoverInTime(identity, mqttClientId),
    noteListener(identity.organisation, 'topic', Math.ceil(expiresAt)),
  ]);
  return {
    isAuthenticated: true,
    principalId: clientId,
    disconnectAfterInSeconds: Math.min(left, LONGEST_S),
    refreshAfterInSeconds: SHORTEST_S,
    policyDocuments: [policyFor(identity, mqttClientId)],
  };
}

/** Custom authorizer of MQTTS: username = client id, password = access token (DESIGN section 3). */
export async function handler(input: unknown) {
  try {
    return await authorize(input);
  } catch (error) {
    if (error instanceof Refusal) logger.info('MQTT connection refused', { reason: error.code });
    else logger.error('MQTT connection could not be authorised', { error });
    return { isAuthenticated: false };
  }
}
