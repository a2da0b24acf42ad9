/**
 * A Cognito client id (26 letters and digits), and an optional suffix by which a partner distinguishes its connections.
 * Without `/`, because the id is part of the topics of lifecycle events, which have at most seven slashes.
 */
const pattern = /^([a-z0-9]{26})[A-Za-z0-9_:.-]{0,102}$/;

/** The OAuth client id in an MQTT client id; undefined when it holds none. */
export const oauthClientOf = (mqttClientId: string): string | undefined => pattern.exec(mqttClientId)?.[1];
