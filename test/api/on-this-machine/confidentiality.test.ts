import { endpointTable } from '../../../contract/endpoint-table';
import type { EndpointKey } from '../../../contract/endpoints';
import { ask, openTelemetry } from '../../channels/telemetry-socket';
import { until } from '../../channels/until';
import { clients, send } from '../client';
import { forgeries } from '../forgeries';
import { givenCommand, givenJob, givenMission, givenShare } from '../given';
import { expectLocalFolder } from '../stack/facts';
import { readLogs, secretsIn } from '../stack/running-stack';

const [partner, reader = partner] = clients('confidentiality');
const { clientId, clientSecret, apiKey } = partner.credentials;
const marker = 'what-only-the-partner-may-read';

/** Logs of the stack under test, once they contain the request. */
const logsWith = (requestId: string): Promise<string> =>
  until(`logging the request ${requestId}`, () => {
    const logs = readLogs(expectLocalFolder());
    return logs.includes(requestId) ? logs : undefined;
  });

/** Calls every endpoint with every secret, in valid and invalid requests, and authenticates over a socket. */
async function useEverything(): Promise<string> {
  const { jobId } = await givenJob(partner, { name: marker, metadata: { marker } });
  const { shareCode } = await givenShare(partner);
  const { missionId } = await givenMission(partner);
  const { deviceId, commandId } = await givenCommand(partner);
  const path = { jobId, missionId, shareCode, deviceId, commandId };
  for (const key of Object.keys(endpointTable) as EndpointKey[]) {
    await partner.call(key, { path });
    await partner.call(key, {
      path: {
        jobId: shareCode,
        missionId: shareCode,
        shareCode: `${shareCode}x`,
        deviceId: shareCode,
        commandId: shareCode,
      },
    });
    await partner.call(key, { path, query: { token: shareCode, [shareCode]: clientSecret } });
    await reader.call(key, { path });
  }
  await partner.call('POST /v3/jobs/create', { body: { [marker]: clientSecret, deviceGroupId: shareCode } });
  await partner.call('POST /v3/jobs/create', { body: `{"${marker}` });
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const grant = { grant_type: 'client_credentials' };
  for (const [headers, body] of [
    [{ authorization: `Basic ${basic}` }, grant],
    [{ authorization: `Basic ${basic}` }, { ...grant, client_id: clientId }],
    [{}, { ...grant, client_id: clientId, client_secret: `${clientSecret}x` }],
    [{}, { grant_type: clientSecret }],
    [{}, `{"client_secret":"${clientSecret}"`],
  ] as const)
    await send('POST', '/v3/auth/token', { headers: { 'x-api-key': apiKey, ...headers }, body });
  for (const forged of Object.values(await forgeries(await partner.token())))
    await send('GET', '/v3/jobs', { headers: { authorization: `Bearer ${forged}` } });
  const socket = await openTelemetry(partner);
  const tokens = [await partner.newToken(), await reader.newToken(), `${await partner.token()}x`];
  for (const token of tokens) {
    await ask(socket, { action: 'authenticate', token });
    await ask(socket, { action: 'authenticate', [token]: token });
    await ask(socket, { action: token });
  }
  const last = await partner.call('GET /v3/shares', { query: { limit: '1' } });
  return last.headers.get('x-request-id') ?? '';
}

describe('The output of the stack', () => {
  let logs: string;
  beforeAll(async () => {
    logs = await logsWith(await useEverything());
  });

  test('contains the requests', () => {
    const logged = ['GET /v3/shares/{shareCode}', clientId].filter((part) => logs.includes(part));
    expect(logged).toHaveLength(2);
  });

  test('contains no token, no share code, no secret and no API key', () => {
    expect(secretsIn(logs)).toEqual([]);
  });

  test('contains nothing of the bodies and headers', () => {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    expect([marker, basic].filter((part) => logs.includes(part))).toEqual([]);
  });

  test('would fail this check with any secret in it', async () => {
    const { shareCode } = await givenShare(partner);
    for (const secret of [await partner.token(), shareCode, clientSecret, apiKey])
      expect(secretsIn(`${logs} "${secret}"`)).not.toEqual([]);
  });
});
