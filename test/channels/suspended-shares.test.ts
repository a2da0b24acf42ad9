import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { runPartnerCommand } from '../api/stack/aws-access';
import { newcomers } from './newcomers';
import { ask, outcomeForPage, tryToWatch, watch } from './telemetry-socket';

const [partner, colleague = partner] = clients('suspended-shares');
const { organisationId } = partner.credentials;
const everything = { permissions: ['view', 'control'], shareType: 'STREAM' };

describe('A share of a suspended organisation', () => {
  afterAll(() => runPartnerCommand('resume', '--organisation-id', organisationId));

  test('refuses viewers and their commands until one of its clients is resumed', async () => {
    const { shareCode } = await givenShare(partner, everything);
    const earlier = await watch(shareCode);
    const command = { action: 'control', command: { name: 'HOVER' } };

    await runPartnerCommand('suspend', '--client-id', partner.credentials.clientId);
    expect(await ask(earlier, command)).toMatchObject({ type: 'accepted' });
    // The heartbeat closes viewers of a suspended organisation that are more than a minute old.
    const viewer = await watch(shareCode);

    await runPartnerCommand('suspend', '--client-id', colleague.credentials.clientId);
    expect(await tryToWatch(shareCode)).toEqual({ status: 404 });
    expect(await outcomeForPage(shareCode)).toBe('share.not-found');
    expect(await ask(viewer, command)).toEqual({
      type: 'error',
      code: 'forbidden',
      error: 'Forbidden',
      details: [{ path: '', message: 'the share does not permit this, or it has ended' }],
    });
    expect(await ask(viewer, { action: 'playback' })).toEqual({
      type: 'error',
      code: 'share_not_found',
      error: 'Share not found',
    });

    await runPartnerCommand('resume', '--client-id', colleague.credentials.clientId);
    await watch(shareCode);
    expect(await ask(viewer, command)).toMatchObject({ type: 'accepted' });
  });
});

describe('A share of an organisation without clients', () => {
  test('is revoked: its viewers receive REVOKED and are closed, and new viewers are refused', async () => {
    const [leaving = partner] = await newcomers('Leaving', ['leaving']);
    const { shareCode } = await givenShare(leaving, { resourceId: fleetOf(leaving).deviceId });
    const viewer = await watch(shareCode);
    await runPartnerCommand('offboard', '--yes', '--client-id', leaving.credentials.clientId);
    expect(await viewer.closed).toMatchObject({ code: 1000 });
    expect(viewer.messages.at(-1)).toMatchObject({ type: 'share.status', shareState: 'REVOKED' });
    expect(await tryToWatch(shareCode)).toEqual({ status: 404 });
  });
});
