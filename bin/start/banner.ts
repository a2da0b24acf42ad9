import type { StackFacts } from './stack-facts';

/** Text that `npm start` prints when the stack is ready: addresses, demo credentials and example commands. */
export function banner(facts: StackFacts, dataFolder?: string): string {
  const { baseUrl, wsUrl, mqttUrl, shareBaseUrl, docsUrl, partners } = facts;
  const [partner] = partners;
  const rows: [string, string | null][] = [
    ['Docs', docsUrl],
    ['REST', baseUrl],
    ['WebSocket', wsUrl],
    ['MQTT', mqttUrl],
    ['Share page', shareBaseUrl],
    ['Data', dataFolder ?? 'in memory, deleted at stop'],
    ['API key', partner?.apiKey ?? null],
    ['Client id', partner?.clientId ?? null],
    ['Client secret', partner?.clientSecret ?? null],
  ];
  const table = rows.filter(([, value]) => value !== null).map(([name, value]) => `  ${name.padEnd(14)}${value}`);
  const steps = commands(facts).flatMap(([title, command]) => ['', title, '', command]);
  return ['', 'The drone mission integration API is running. Ctrl-C stops it.', '', ...table, ...steps, ''].join('\n');
}

/** Shell command that extracts a text field from a JSON response, with sed because jq may not be installed. */
const field = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;

function commands({
  baseUrl,
  wsUrl,
  mqttUrl,
  shareBaseUrl,
  docsUrl,
  caFile,
  partners,
}: StackFacts): [title: string, command: string][] {
  const [partner] = partners;
  const group = partner?.deviceGroups[0];
  const device = group?.devices[0];
  if (!partner || !group || !device) return [];
  const { clientId, clientSecret, apiKey } = partner;
  const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const json = "-H 'content-type: application/json'";
  const post = (path: string, body: object) =>
    `curl -s ${baseUrl}${path} -H "authorization: Bearer $TOKEN" ${json} -d '${JSON.stringify(body)}'`;
  const steps: [string, string][] = [
    [
      'Get a token and create a job:',
      [
        `TOKEN=$(curl -s ${baseUrl}/v3/auth/token -H 'x-api-key: ${apiKey}' ${json} -d '${JSON.stringify(credentials)}' | ${field('access_token')})`,
        `JOB=$(${post('/v3/jobs/create', { name: 'First flight', deviceGroupId: group.deviceGroupId, deviceId: device.deviceId })} | ${field('jobId')}); echo $JOB`,
      ].join('\n'),
    ],
  ];
  if (docsUrl) {
    steps.push([`Try an endpoint at ${docsUrl}reference/rest with this token, as “Bearer Token”:`, 'echo "$TOKEN"']);
  }
  if (mqttUrl) {
    const { hostname, port } = new URL(mqttUrl);
    steps.push([
      'Follow it over MQTT (Debian: mosquitto-clients):',
      `mosquitto_sub -h ${hostname} -p ${port} --cafile ${caFile} -u ${clientId} -P "$TOKEN" -i ${clientId}-1 -q 1 -t "$JOB/JOB/STATUS"`,
    ]);
  }
  if (wsUrl)
    steps.push([
      'or over a WebSocket, in a second terminal with the same two variables:',
      `npx wscat -H "authorization: Bearer $TOKEN" -c "${wsUrl}/v3/jobs/$JOB/status/ws"`,
    ]);
  if (shareBaseUrl)
    steps.push([
      'Share its drone, and open the link:',
      `${post('/v3/streams/share', { resourceId: device.deviceId, shareType: 'STREAM' })} | ${field('shareUrl')}`,
    ]);
  return steps;
}
