import type { StackFacts } from './stack-file';

/** What `npm start` prints when everything answers: addresses, demo credentials, and two commands to paste. */
export function banner({ baseUrl, wsUrl, mqttUrl, shareBaseUrl, partners }: StackFacts, dataFolder?: string): string {
  const rows: [string, string | null][] = [
    ['REST', baseUrl],
    ['WebSocket', wsUrl],
    ['MQTT', mqttUrl],
    ['Share page', shareBaseUrl],
    ['Data', dataFolder ?? 'in memory, gone at stop'],
  ];
  const [partner] = partners;
  if (partner) {
    rows.push(['API key', partner.apiKey], ['Client id', partner.clientId], ['Client secret', partner.clientSecret]);
  }
  const table = rows.filter(([, value]) => value !== null).map(([name, value]) => `  ${name.padEnd(14)}${value}`);
  return ['', 'The drone mission integration API is running. Ctrl-C stops it.', '', ...table, ...commands(), ''].join(
    '\n',
  );

  function commands(): string[] {
    const group = partner?.deviceGroups[0];
    if (!partner || !group) return [];
    const credentials = {
      grant_type: 'client_credentials',
      client_id: partner.clientId,
      client_secret: partner.clientSecret,
    };
    const job = { name: 'First flight', deviceGroupId: group.deviceGroupId };
    return [
      '',
      'Get a token and create a job:',
      '',
      `TOKEN=$(curl -s ${baseUrl}/v3/auth/token -H 'x-api-key: ${partner.apiKey}' -H 'content-type: application/json' -d '${JSON.stringify(credentials)}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      `curl -s ${baseUrl}/v3/jobs/create -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${JSON.stringify(job)}'`,
    ];
  }
}
