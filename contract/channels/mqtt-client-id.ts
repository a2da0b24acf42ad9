/**
 * MQTT client id of a partner's connection: a Cognito client id (26 letters and digits), and an optional suffix by
 * which a partner distinguishes its connections. Without `/`, because the id is part of the topics of lifecycle events,
 * which have at most seven slashes. The rules of AWS IoT, in Java, read it too.
 */
export const mqttClientIdPattern = /^([a-z0-9]{26})[A-Za-z0-9_:.-]{0,102}$/;

/** The OAuth client id in an MQTT client id; undefined when it holds none. */
export const parseOauthClient = (mqttClientId: string): string | undefined =>
  mqttClientIdPattern.exec(mqttClientId)?.[1];
