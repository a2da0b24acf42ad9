import { clients, send } from './client';
import { runPartnerCommand } from './stack/aws-access';

const [partner, colleague = partner] = clients('suspension');
const { clientId, clientSecret, apiKey, organisationId } = partner.credentials;

const askForToken = () =>
  send('POST', '/v3/auth/token', {
    headers: { 'x-api-key': apiKey },
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
  });
const listJobs = (token: string) => send('GET', '/v3/jobs', { headers: { authorization: `Bearer ${token}` } });
const suspended = { path: 'Authorization', message: 'the client is suspended or was removed' };
const forbidden = { status: 403, body: { error: 'Forbidden', details: [suspended] } };

describe('A partner that is suspended', () => {
  test('gets no token and is refused with an old one, until it is resumed', async () => {
    // Not used before, since the answer of the authorizer is cached for up to five minutes.
    const [issuedBefore, usedAfter] = [await partner.newToken(), await partner.newToken()];
    await runPartnerCommand('suspend', '--client-id', clientId);
    expect(await listJobs(issuedBefore)).toMatchObject(forbidden);
    // Before the secret is checked, the answer is the same as to another client's key.
    expect(await askForToken()).toMatchObject({
      status: 403,
      body: { error: 'Forbidden', error_description: "x-api-key: is not this client's, or the client is suspended" },
    });
    expect((await colleague.call('GET /v3/jobs')).status).toBe(200);

    await runPartnerCommand('resume', '--client-id', clientId);
    expect((await askForToken()).status).toBe(200);
    expect((await listJobs(usedAfter)).status).toBe(200);
  });

  test('is refused with all of its clients when the organisation is suspended', async () => {
    const tokens = [await partner.newToken(), await colleague.newToken()];
    await runPartnerCommand('suspend', '--organisation-id', organisationId);
    for (const token of tokens) expect(await listJobs(token)).toMatchObject(forbidden);
  });
});
