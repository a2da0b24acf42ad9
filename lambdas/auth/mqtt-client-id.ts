/**
 * Client ids of Cognito, 26 letters and digits, and what a partner puts behind to tell its connections apart: no `/`,
 * since the id stands in the topics of lifecycle events, which have at most seven.
 */
const shape = /^([a-z0-9]{26})[A-Za-z0-9_:.-]{0,102}$/;

/** The OAuth client whose an MQTT client id is, or undefined when it is none's. */
export const oauthClientOf = (mqttClientId: string): string | undefined => shape.exec(mqttClientId)?.[1];
