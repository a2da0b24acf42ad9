import { channelKinds, type Channel } from '../../contract/channels/status-channels';
import { clients, type Client } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { follow, pathOf, shakeHands } from './socket';

const [partner] = clients('handshake');
const [stranger] = clients('stranger');

/** A channel of each kind that the client's organisation has. */
async function channelsOf(client: Client): Promise<Channel[]> {
  const [{ jobId }, { shareCode }] = [await givenJob(client), await givenShare(client)];
  return [
    { kind: 'job', id: jobId },
    { kind: 'group', id: fleetOf(client).deviceGroupId },
    { kind: 'share', id: shareCode },
  ];
}

let ours: Channel[];
let theirs: Channel[];
beforeAll(async () => {
  [ours, theirs] = await Promise.all([channelsOf(partner), channelsOf(stranger)]);
});
const find = (all: readonly Channel[], kind: Channel['kind']): Channel => {
  const found = all.find((each) => each.kind === kind);
  if (!found) throw new Error(`no channel of a ${kind}`);
  return found;
};
const bearer = async (client: Client) => ({ authorization: `Bearer ${await client.token()}` });

describe.each(channelKinds)('The handshake for the channel of a %s', (kind) => {
  test('succeeds for its organisation, with the token in a header or in the query', async () => {
    await follow(partner, find(ours, kind));
    const path = `${pathOf(find(ours, kind))}?token=${await partner.token()}`;
    const { socket } = await shakeHands(path);
    expect(await socket?.first(1)).toMatchObject([{ snapshot: true }]);
  });
});

describe('The handshake', () => {
  test('is refused with 401 for a token that is not where it should be', async () => {
    const path = pathOf(find(ours, 'job'));
    for (const query of ['?token=', '?channel=job', '?Token=x'])
      expect(await shakeHands(path + query)).toEqual({ status: 401 });
    for (const authorization of ['', 'Bearer', `Basic ${await partner.token()}`, await partner.token()])
      expect(await shakeHands(path, { authorization })).toEqual({ status: 401 });
  });

  test('prefers the header to the query', async () => {
    const path = pathOf(find(ours, 'job'));
    expect(await shakeHands(`${path}?token=x`, await bearer(partner))).toMatchObject({ status: 101 });
    expect(await shakeHands(`${path}?token=${await partner.token()}`, { authorization: 'Bearer x' })).toEqual({
      status: 401,
    });
  });

  test.each(['/v3/jobs', '/v3/jobs//status/ws', '/v3/jobs/x/status', '/v3/jobs/a/b/status/ws', '/live'])(
    'is refused with 404 at %s, which is not a channel',
    async (path) => {
      expect(await shakeHands(path, await bearer(partner))).toEqual({ status: 404 });
    },
  );

  test('is redirected to the docs site at the bare address, like a browser', async () => {
    expect(await shakeHands('/', await bearer(partner))).toEqual({ status: 302 });
  });

  const odd = ['x', 'job-', '..', '%2e%2e', 'job%23x', 'job%26id', '%00', 'job-%F0%9F%9A%81', '__proto__'];
  test.each([...odd.map((id) => [id, id]), ['of 2,000 letters', 'a'.repeat(2000)]])(
    'is refused with 404 for the odd id %s',
    async (_, id = '') => {
      for (const kind of channelKinds)
        expect(await shakeHands(pathOf({ kind, id }), await bearer(partner))).toEqual({ status: 404 });
    },
  );

  test('depends only on the path, not on channel parameters in the query', async () => {
    const [job, foreign] = [find(ours, 'job'), find(theirs, 'job')];
    const query = (id: string) => `?channel=job&id=${id}&channel=group`;
    const { socket } = await shakeHands(pathOf(job) + query(foreign.id), await bearer(partner));
    expect(await socket?.first(1)).toMatchObject([{ jobId: job.id }]);
    expect(await shakeHands(pathOf(foreign) + query(job.id), await bearer(partner))).toEqual({ status: 403 });
  });
});
