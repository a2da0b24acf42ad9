/** Where this machine serves what AWS serves under public host names. */
export interface LocalAddresses {
  /** Base address of the REST API, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Base address of the user pools, such as `https://127.0.0.1:3443`. */
  readonly identityUrl: string;
  /** The endpoint that plays every AWS API, such as `http://127.0.0.1:41234`. */
  readonly endpointUrl: string;
  /** Where MQTT clients connect, such as `mqtts://127.0.0.1:8883`. */
  readonly mqttUrl: string;
  /** Base address of live video, such as `http://127.0.0.1:41235`. */
  readonly videoUrl: string;
  /** Whether a WebSocket API, not a REST API, is at `<apiId>.execute-api.<region>.amazonaws.com`. */
  isWebSocketApi(domain: string): boolean;
  /** `<host>:<port>` of the distribution with this domain. */
  distributionAt(domain: string): string | undefined;
}

/** A public AWS address and what stands in its place. */
type Row = readonly [pattern: RegExp, local: (addresses: LocalAddresses, ...parts: string[]) => string];

const rows: readonly Row[] = [
  // A user pool's issuer and key set: https://cognito-idp.<region>.amazonaws.com/<poolId>
  [/https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com/g, ({ identityUrl }) => identityUrl],
  // A user pool's domain, where tokens are asked for; its prefix becomes the first part of the path.
  [
    /https:\/\/([A-Za-z0-9-]+)\.auth\.[a-z0-9-]+\.amazoncognito\.com/g,
    ({ identityUrl }, domain) => `${identityUrl}/${domain}`,
  ],
  // A stage of an API. There is one REST API with one stage, so both vanish; a WebSocket API's is where its connections
  // are managed, which is one of the AWS APIs.
  [
    /https:\/\/([A-Za-z0-9]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com)\/([\w$-]+)/g,
    ({ baseUrl, endpointUrl, isWebSocketApi }, domain = '', stage = '') =>
      isWebSocketApi(domain) ? `${endpointUrl}/${stage}` : baseUrl,
  ],
  // What AWS IoT gives to a domain configuration.
  [/mqtts:\/\/[\w.-]+\.iot\.[a-z0-9-]+\.amazonaws\.com:8883/g, ({ mqttUrl }) => mqttUrl],
  // Whatever data endpoints Kinesis Video Streams names: a content security policy allows them all, by a wildcard.
  [/https:\/\/[\w*-]+\.kinesisvideo\.[a-z0-9-]+\.amazonaws\.com/g, ({ videoUrl }) => videoUrl],
  // A distribution; its certificate is left out on this machine.
  [
    /\b(http|ws)s:\/\/(d[a-z0-9]{13}\.cloudfront\.net)/g,
    ({ distributionAt }, protocol = '', domain = '') => `${protocol}://${distributionAt(domain) ?? domain}`,
  ],
];

/**
 * Replaces the public addresses of AWS in every string inside `value`, so that code that gets an address from its
 * environment does not know where it runs. Other values, and the shape, stay as they are.
 */
export function toLocalHosts<T>(value: T, addresses: LocalAddresses): T;
export function toLocalHosts(value: unknown, addresses: LocalAddresses): unknown {
  if (typeof value === 'string') return rows.reduce((text, row) => replace(text, row, addresses), value);
  if (Array.isArray(value)) return value.map((one: unknown) => toLocalHosts(one, addresses));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toLocalHosts(one as unknown, addresses)]));
}

function replace(text: string, [pattern, local]: Row, addresses: LocalAddresses): string {
  return text.replace(pattern, (_match, ...parts: string[]) => local(addresses, ...parts));
}
