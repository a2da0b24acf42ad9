import * as z from 'zod/mini';
import { channels } from '../../contract/channels';
import { Refusal } from '../../domain/refusal';
import { channelKinds } from '../../domain/status-event';
import { identify, type Identity } from '../auth/identify';
import { iotArn } from '../auth/iot-arn';
import { logger } from '../logger';
import { oauthClientOf } from '../auth/mqtt-client-id';

/** AWS IoT calls a custom authorizer with this (https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth.html). */
const connectEvent = z.object({
  protocolData: z.object({
    mqtt: z.object({ username: z.string(), password: z.base64(), clientId: z.string() }),
  }),
});

/** Bounds of `disconnectAfterInSeconds` and `refreshAfterInSeconds`. */
const SHORTEST_S = 300;
const LONGEST_S = 86_400;

const statement = (action: string, resources: readonly string[]) => ({
  Effect: 'Allow',
  Action: action,
  Resource: resources,
});

/**
 * No persistent session (MQTT 3.1.1 without clean session, MQTT 5 with a session expiry above 0) and no last will: what is
 * not listed is not allowed (AWS IoT developer guide, "Connect policy examples"). A persistent session keeps its
 * subscriptions while the client is away, so those that the limit of 100 counts would not be all that it has.
 */
const onlyDefaultFeatures = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': [] } };

/** What the connection may do: be this client, and hear of its own organisation what its scopes allow. Nothing else. */
function policyFor({ organisation, scopes }: Identity, mqttClientId: string) {
  const topics = channelKinds
    .filter((kind) => scopes.includes(channels[kind].scope))
    .map((kind) => `${kind}-${organisation}-*/${channels[kind].topicSuffix}`);
  const heard =
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
  return JSON.stringify({ Version: '2012-10-17', Statement: [connect, ...heard] });
}

/** @throws Refusal `unauthorized`, `forbidden` */
async function authorize(input: unknown) {
  const { username, password, clientId: mqttClientId } = connectEvent.parse(input).protocolData.mqtt;
  // IoT adds its own parameters behind a `?`.
  const [user] = username.split('?', 1);
  const identity = await identify(Buffer.from(password, 'base64').toString());
  const { clientId, expiresAt } = identity;
  if (user !== clientId || oauthClientOf(mqttClientId) !== clientId) throw new Refusal('forbidden');
  // The session must end with the token, and five minutes are the shortest that IoT can be told.
  const left = Math.floor(expiresAt - Date.now() / 1000);
  if (left < SHORTEST_S) throw new Refusal('unauthorized');
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
    if (error instanceof Refusal) logger.info('an MQTT connection was refused', { reason: error.code });
    else
      logger.error('an MQTT connection could not be authorised', {
        error,
      });
    return { isAuthenticated: false };
  }
}
