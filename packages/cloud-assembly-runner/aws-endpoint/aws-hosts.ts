/** Local addresses of services that AWS serves under public host names. */
export interface LocalAddresses {
  /** REST API, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** User pools, such as `https://127.0.0.1:3443`. */
  readonly identityUrl: string;
  /** Endpoint of all AWS APIs, such as `http://127.0.0.1:41234`. */
  readonly endpointUrl: string;
  /** MQTT broker, such as `mqtts://127.0.0.1:8883`. */
  readonly mqttUrl: string;
  /** Live video, such as `http://127.0.0.1:41235`. */
  readonly videoUrl: string;
  /** Whether `<apiId>.execute-api.<region>.amazonaws.com` is a WebSocket API, not a REST API. */
  isWebSocketApi(domain: string): boolean;
  /** `<host>:<port>` of the distribution with this domain. */
  distributionAt(domain: string): string | undefined;
}

/** A public AWS address and its local replacement. */
type Row = readonly [pattern: RegExp, local: (addresses: LocalAddresses, ...parts: string[]) => string];

const rows: readonly Row[] = [
  // Issuer and key set of a user pool: https://cognito-idp.<region>.amazonaws.com/<poolId>
  [/https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com/g, ({ identityUrl }) => identityUrl],
  // Domain of a user pool, with its token endpoint; the domain prefix becomes the first path segment.
  [
    /https:\/\/([A-Za-z0-9-]+)\.auth\.[a-z0-9-]+\.amazoncognito\.com/g,
    ({ identityUrl }, domain) => `${identityUrl}/${domain}`,
  ],
  // Stage of an API. There is one REST API with one stage, so both are dropped. For a WebSocket API it is the
  // @connections endpoint, which is one of the AWS APIs.
  [
    /https:\/\/([A-Za-z0-9]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com)\/([\w$-]+)/g,
    ({ baseUrl, endpointUrl, isWebSocketApi }, domain = '', stage = '') =>
      isWebSocketApi(domain) ? `${endpointUrl}/${stage}` : baseUrl,
  ],
  // Domain configuration of AWS IoT, in an address or alone.
  [/\b[\w.-]+\.iot\.[a-z0-9-]+\.amazonaws\.com:8883/g, ({ mqttUrl }) => new URL(mqttUrl).host],
  // A content security policy allows all data endpoints of Kinesis Video Streams by a wildcard. Here they differ in the port:
  // a page that was opened before a restart has to reach the one after it.
  [/https:\/\/\*\.kinesisvideo\.[a-z0-9-]+\.amazonaws\.com/g, () => 'http://127.0.0.1:*'],
  // Any data endpoint of Kinesis Video Streams.
  [/https:\/\/[\w-]+\.kinesisvideo\.[a-z0-9-]+\.amazonaws\.com/g, ({ videoUrl }) => videoUrl],
  // CloudFront distribution; there is no TLS on this machine.
  [
    /\b(http|ws)s:\/\/(d[a-z0-9]{13}\.cloudfront\.net)/g,
    ({ distributionAt }, protocol = '', domain = '') => `${protocol}://${distributionAt(domain) ?? domain}`,
  ],
];

/**
 * Replaces public AWS addresses in all strings of `value`, so that code that takes an address from its environment does
 * not know where it runs.
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
